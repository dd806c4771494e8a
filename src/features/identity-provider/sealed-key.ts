/** Encrypts the central key of a session, so that only the session's token can decrypt it. */
import { sha256 } from "../../core/lib/credential.ts";
import { deriveKey, openText, sealText } from "../../core/lib/sealed-text.ts";

/**
 * The key is derived from the token and not from its SHA-256 hash, because the database contains the hash.
 */
const PURPOSE = "resort session key";

/**
 * Encrypts a key with AES-256-GCM. The encryption key is derived from the token with HKDF-SHA-256 (RFC 5869).
 * @param token the session's token; use it for one encryption only
 * @param issuer the provider's URL. Decryption requires the same URL, so the key cannot be sent to another
 * provider
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
