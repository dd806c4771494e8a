/** Reads header fields of signed calls so that each can be read in one way only. */
import {
	type Dictionary,
	parseDictionary,
	serializeDictionary,
} from "structured-headers";

/** More than any field of a good call needs: the longest nonce, every character escaped, and room. */
const MAX_DICTIONARY_LENGTH = 1_024;
const MAX_VALUE_LENGTH = 255;

/** Printable ASCII with no space at either end. */
const FIELD_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Reads a structured field that is a dictionary (RFC 9651 section 3.2), written exactly as the RFC serialises
 * it. The RFC lets a parser take more: repeated keys and parameters of which the last counts, spare white
 * space, `007`, unpadded base64. Refusing those leaves nothing that two readers could read differently, also
 * when several fields of one name were joined to one.
 * @returns null when there is none, or it is anything else
 */
export function readDictionary(header: string | null): Dictionary | null {
	if (header === null || header.length > MAX_DICTIONARY_LENGTH) return null;
	try {
		const dictionary = parseDictionary(header);
		return serializeDictionary(dictionary) === header ? dictionary : null;
	} catch {
		return null;
	}
}

/**
 * Whether a text can be the value of an `X-Agent-*` field: 1 to 255 printable ASCII characters, no space at either
 * end.
 */
export function isAgentField(text: string): boolean {
	return text.length <= MAX_VALUE_LENGTH && FIELD_VALUE.test(text);
}
