/** Encrypts texts with secrets that are not stored, so that only the holder of a secret can read the text. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
/** The lengths of the nonce and the tag that NIST SP 800-38D recommends. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Derives a key from a secret with HKDF-SHA-256 and an empty salt (RFC 5869). Keys for different purposes are
 * independent of each other.
 */
export function deriveKey(secret: string, purpose: string): Uint8Array {
	return new Uint8Array(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));
}

/**
 * Encrypts a text with AES-256-GCM.
 * @param boundTo additional authenticated data. The text can be decrypted only with the same data
 * @returns nonce, ciphertext and tag: 28 bytes more than the text
 */
export function sealText(text: string, key: Uint8Array, boundTo: Uint8Array): Uint8Array {
	const nonce = randomBytes(NONCE_BYTES);
	const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
	cipher.setAAD(boundTo);
	const sealed = cipher.update(text, "utf8");
	return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts the result of {@link sealText}. Returns null for other data, another key or other additional data.
 */
export function openText(sealed: Uint8Array, key: Uint8Array, boundTo: Uint8Array): string | null {
	if (sealed.length < NONCE_BYTES + TAG_BYTES) return null;
	const nonce = sealed.subarray(0, NONCE_BYTES);
	const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
	decipher.setAAD(boundTo);
	decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
	const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
	try {
		return Buffer.concat([text, decipher.final()]).toString();
	} catch {
		return null;
	}
}
