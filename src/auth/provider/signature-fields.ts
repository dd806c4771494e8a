/** Reads the header fields of signed calls so that each has exactly one interpretation. */
import { createHash, timingSafeEqual } from "node:crypto";
import {
	type Dictionary,
	parseDictionary,
	serializeDictionary,
} from "structured-headers";

/** The longest nonce with every character escaped, and some spare room. */
const MAX_DICTIONARY_LENGTH = 1_024;
const MAX_VALUE_LENGTH = 255;

/** Printable ASCII without a space at either end. */
const FIELD_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Reads a structured field that is a dictionary (RFC 9651 section 3.2) in its canonical form. The RFC lets parsers
 * accept repeated keys, spare white space, `007` and unpadded base64. These are refused, so that no two readers can
 * differ, also after several fields of one name were joined.
 * @returns null if the field is missing or anything else
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

/** Whether a text can be the value of an `X-Agent-*` field: 1 to 255 printable ASCII characters, no space at the ends. */
export function isAgentField(text: string): boolean {
	return text.length <= MAX_VALUE_LENGTH && FIELD_VALUE.test(text);
}

/** Returns the `Content-Digest` of a body with `sha-256` (RFC 9530 section 2). */
export function contentDigest(body: Uint8Array): string {
	return `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
}

/**
 * Whether a `Content-Digest` matches a body. It must contain `sha-256` without parameters; other algorithms are
 * ignored, as RFC 9530 section 2 allows.
 * @param sha256OfBody 32 bytes
 */
export function digestMatches(
	header: string,
	sha256OfBody: Uint8Array,
): boolean {
	const [digest, parameters] = readDictionary(header)?.get("sha-256") ?? [];
	return (
		digest instanceof ArrayBuffer &&
		parameters?.size === 0 &&
		digest.byteLength === sha256OfBody.length &&
		timingSafeEqual(new Uint8Array(digest), sha256OfBody)
	);
}
