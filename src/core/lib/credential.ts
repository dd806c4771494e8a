/**
 * Direct API keys and session tokens.
 *
 * A key has the form `ar_<keyId>_<secret>`. The key id identifies the row in the database. The secret ends
 * with a checksum of the whole key, so a mistyped key is refused without a query. Only the SHA-256 hash of
 * the secret is stored; a slow hash would add no security, because the secret has 256 random bits. A session
 * token has 256 random bits in hexadecimal, and is looked up by its SHA-256 hash.
 */
import type { Random } from "./random.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const KEY_ID_LENGTH = 12;
// 43 base-62 digits can represent 256 random bits: 62^43 > 2^256.
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const KEY_SHAPE = new RegExp(
	`^ar_([0-9A-Za-z]{${KEY_ID_LENGTH}})_([0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}})$`,
);

/** A key, and the parts of the key that are stored. */
export interface ApiKey {
	/** The public part, by which the key is looked up. */
	readonly keyId: string;
	/** The SHA-256 hash of the secret part. */
	readonly secretHash: Uint8Array;
	/** The whole key. It is shown once and not stored. */
	readonly apiKey: string;
}

/** Creates an API key. */
export function createApiKey(random: Random): ApiKey {
	const keyId = randomDigits(random, KEY_ID_LENGTH);
	const unchecked = `ar_${keyId}_${randomDigits(random, SECRET_LENGTH)}`;
	const apiKey = unchecked + checksum(unchecked);
	const secret = apiKey.slice(`ar_${keyId}_`.length);
	return { keyId, secretHash: sha256(secret), apiKey };
}

/** Splits a key into its parts. Returns null if its format or its checksum is invalid. */
export function parseApiKey(apiKey: string): { readonly keyId: string; readonly secret: string } | null {
	const [, keyId, secret] = KEY_SHAPE.exec(apiKey) ?? [];
	if (keyId === undefined || secret === undefined) return null;
	const unchecked = apiKey.slice(0, -CHECKSUM_LENGTH);
	return checksum(unchecked) === apiKey.slice(-CHECKSUM_LENGTH) ? { keyId, secret } : null;
}

/**
 * Compares a secret with a hash in constant time, even if there is no hash.
 * @param secretHash the SHA-256 hash of the correct secret; undefined if the key id is unknown
 */
export function secretMatches(secret: string, secretHash: Uint8Array | undefined): boolean {
	const equal = crypto.timingSafeEqual(sha256(secret), secretHash ?? NO_HASH);
	return equal && secretHash !== undefined;
}

/** Returns the SHA-256 hash of a text in UTF-8. */
export function sha256(text: string): Uint8Array {
	return Bun.CryptoHasher.hash("sha256", text);
}

const NO_HASH = new Uint8Array(32);

/** Returns the CRC-32 (IEEE) of a text as six base-62 digits, most significant first. */
function checksum(text: string): string {
	let rest = Bun.hash.crc32(text);
	let digits = "";
	for (let place = 0; place < CHECKSUM_LENGTH; place++) {
		digits = DIGITS.charAt(rest % 62) + digits;
		rest = Math.floor(rest / 62);
	}
	return digits;
}

function randomDigits(random: Random, length: number): string {
	let digits = "";
	while (digits.length < length) {
		for (const byte of random.bytes(length)) {
			// Skips bytes of 248 (4 * 62) or more, which would make some digits more likely than others.
			if (byte < 248 && digits.length < length) {
				digits += DIGITS.charAt(byte % 62);
			}
		}
	}
	return digits;
}
