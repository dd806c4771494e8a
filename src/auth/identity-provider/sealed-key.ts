/** Encrypts the central key of a session, so that only the session's token can decrypt it. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { sha256 } from "../../lib/credential.ts";
import { sealingKey } from "./derived-keys.ts";

const CIPHER = "aes-256-gcm";
/** The lengths recommended by NIST SP 800-38D. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a key with AES-256-GCM. The encryption key is derived from the token with HKDF-SHA-256 (RFC 5869).
 * @param token the session's token; use it for one encryption only
 * @param issuer the provider's URL. Decryption requires the same URL, so the key cannot be sent to another provider
 * @returns nonce, ciphertext and tag; 28 bytes longer than the key
 */
export function sealKey(
	apiKey: string,
	token: string,
	issuer: string,
): Uint8Array {
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, sealingKey(token), nonce, {
		authTagLength: TAG_BYTES,
	});
	cipher.setAAD(boundTo(token, issuer));
	const sealed = cipher.update(apiKey, "utf8");
	return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts the result of {@link sealKey}. Returns null for other data, another token or another issuer. */
export function openKey(
	sealed: Uint8Array,
	token: string,
	issuer: string,
): string | null {
	if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
	const nonce = sealed.subarray(0, NONCE_BYTES);
	const decipher = createDecipheriv(CIPHER, sealingKey(token), nonce, {
		authTagLength: TAG_BYTES,
	});
	decipher.setAAD(boundTo(token, issuer));
	decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
	const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
	try {
		return Buffer.concat([text, decipher.final()]).toString();
	} catch {
		return null;
	}
}

/** Returns the additional authenticated data: the token's hash, which has a fixed length, followed by the issuer. */
function boundTo(token: string, issuer: string): Uint8Array {
	return Buffer.concat([sha256(token), Buffer.from(issuer)]);
}
