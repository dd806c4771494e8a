/** `Content-Digest` with `sha-256` (RFC 9530 section 2). */
import { createHash, timingSafeEqual } from "node:crypto";
import { readDictionary } from "./fields.ts";

/** The field's value for a body: `sha-256=:<base64>:`. */
export function contentDigest(body: Uint8Array): string {
	return `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
}

/**
 * Whether a `Content-Digest` tells this body. Digests by other algorithms may stand beside `sha-256` and are
 * ignored, as RFC 9530 section 2 allows; `sha-256` itself must be there, once, without parameters.
 * @param header the field's value, written as RFC 9651 serialises a dictionary
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
