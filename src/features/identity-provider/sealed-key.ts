/** Encrypts the central key of a session, so that only the session's token can decrypt it. */
import { sha256 } from "../../core/lib/credential.ts";
import { deriveKey, openText, sealText } from "../../core/lib/sealed-text.ts";

/** The purpose of the key that is derived from a session's token. The database has only the token's hash. */
const PURPOSE = "resort session key";

/**
 * Encrypts a key with AES-256-GCM. HKDF-SHA-256 (RFC 5869) derives the cipher key from the session's token.
 * @param token use it for one encryption only
 * @param issuer the provider's URL, which decryption requires, so that the key is sent to no other provider
 * @returns nonce, ciphertext and tag; 28 bytes longer than the key
 */
export function sealKey(apiKey: string, token: string, issuer: string): Uint8Array {
	return sealText(apiKey, deriveKey(token, PURPOSE), boundTo(token, issuer));
}

/** Decrypts the result of {@link sealKey}. Returns null for other data, another token or another issuer. */
export function openKey(sealed: Uint8Array, token: string, issuer: string): string | null {
	return openText(sealed, deriveKey(token, PURPOSE), boundTo(token, issuer));
}

/** Returns the additional authenticated data: the token's hash (of fixed length) and the issuer. */
function boundTo(token: string, issuer: string): Uint8Array {
	return Buffer.concat([sha256(token), Buffer.from(issuer)]);
}
