/** Parses header fields of signed calls (RFC 9421 section 4), each of which has one interpretation. */
import { timingSafeEqual } from "node:crypto";
import {
	type Dictionary,
	type InnerList,
	type Item,
	isInnerList,
	type Parameters,
	parseDictionary,
	serializeDictionary,
	serializeInnerList,
} from "structured-headers";

/** The header fields that name the agent and the operation of a call. */
export const agentFields = ["x-agent-subject", "x-agent-id", "x-agent-capability", "x-agent-mode"] as const;

/** The components covered by the signature, in this order and without parameters. */
export const components = ["@method", "@target-uri", "content-digest", ...agentFields] as const;

/** The required values of the parameters `alg` and `tag`. */
const ALGORITHM = "hmac-sha256";
const TAG = "agent-auth-proxy";
const PARAMETERS = 6;

const MAX_NONCE_LENGTH = 128;

/** The maximum length of a parsed header field, enough for the longest nonce with escapes. */
const MAX_DICTIONARY_LENGTH = 1_024;
const SIGNATURE_BYTES = 32;

/** The required components as they are sent: in order and without parameters. */
const COVERED = serializeInnerList([components.map((name): Item => [name, new Map()]), new Map()]);

/**
 * The parameters of a signature (RFC 9421 section 2.3), except `alg` and `tag`, whose values are fixed.
 * `created` and `expires` are in whole seconds since the epoch.
 */
export interface SignatureParameters {
	readonly created: number;
	readonly expires: number;
	readonly nonce: string;
	readonly keyid: string;
}

/** A parsed signature. */
export interface Signature {
	readonly parameters: SignatureParameters;
	/** The inner list with its parameters, as it was sent. */
	readonly text: string;
	readonly bytes: Uint8Array;
}

/**
 * Returns the signature of a request. Returns null unless the request has exactly one signature, which covers
 * all {@link components} and has exactly the parameters `created`, `expires`, `nonce`, `keyid`, `alg` and
 * `tag`.
 */
export function readSignature(headers: Headers): Signature | null {
	const [described, ...moreDescribed] = readDictionary(headers.get("signature-input"));
	const [signed, ...moreSigned] = readDictionary(headers.get("signature"));
	if (described === undefined || signed === undefined) return null;
	if (moreDescribed.length + moreSigned.length > 0 || described[0] !== signed[0]) return null;
	const [, list] = described;
	if (!isInnerList(list) || serializeInnerList([list[0], new Map()]) !== COVERED) return null;
	const parameters = readParameters(list[1]);
	const bytes = bytesOf(signed[1]);
	if (parameters === null || bytes?.length !== SIGNATURE_BYTES) return null;
	return { parameters, text: serializeInnerList(list), bytes };
}

/**
 * Whether a `Content-Digest` field matches a body. The field must contain `sha-256` without parameters.
 * Digests by other algorithms are ignored, as RFC 9530 section 2 allows.
 * @param sha256OfBody 32 bytes
 */
export function digestMatches(header: string, sha256OfBody: Uint8Array): boolean {
	const digest = bytesOf(readDictionary(header).get("sha-256"));
	return digest?.length === sha256OfBody.length && timingSafeEqual(digest, sha256OfBody);
}

/**
 * Parses a dictionary (RFC 9651 section 3.2), and accepts only its canonical form. The RFC lets parsers
 * accept repeated keys, optional white space, `007` and unpadded base64. These are refused, because two
 * parsers might read them differently. Several fields of the same name are joined before this function is
 * called, and are checked in the same way.
 * @returns an empty dictionary if the field is missing or invalid
 */
function readDictionary(header: string | null): Dictionary {
	if (header !== null && header.length <= MAX_DICTIONARY_LENGTH) {
		try {
			const dictionary = parseDictionary(header);
			if (serializeDictionary(dictionary) === header) return dictionary;
		} catch {}
	}
	return new Map();
}

/** Returns the byte sequence of an item without parameters; null for any other member. */
function bytesOf([value, parameters]: InnerList | Item | [] = []) {
	return value instanceof ArrayBuffer && parameters?.size === 0 ? new Uint8Array(value) : null;
}

/** Returns the parameters of a signature; null unless they are exactly the required, valid ones. */
function readParameters(parameters: Parameters): SignatureParameters | null {
	const { created, expires, nonce, keyid, alg, tag } = Object.fromEntries(parameters);
	const isKnown = parameters.size === PARAMETERS && alg === ALGORITHM && tag === TAG;
	if (!isKnown || !Number.isInteger(created) || !Number.isInteger(expires)) return null;
	if (typeof nonce !== "string" || typeof keyid !== "string") return null;
	if (nonce === "" || nonce.length > MAX_NONCE_LENGTH) return null;
	return { created: Number(created), expires: Number(expires), nonce, keyid };
}
