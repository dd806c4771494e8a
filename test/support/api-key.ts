import { crc32 } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The checksum that ends a key: CRC-32 in six digits of base 62. */
export function checksumOf(text: string): string {
	let rest = crc32(text);
	let digits = "";
	while (rest > 0) {
		digits = DIGITS.charAt(rest % 62) + digits;
		rest = Math.floor(rest / 62);
	}
	return digits.padStart(6, "0");
}

/** A well-formed key with the id of another, and a secret of its own. */
export function forged(apiKey: string): string {
	const [prefix, keyId, secret = ""] = apiKey.split("_");
	const own = [...secret.slice(0, -6)].reverse().join("");
	const unchecked = `${prefix}_${keyId}_${own}`;
	return unchecked + checksumOf(unchecked);
}

/** A well-formed key that nobody was given. */
export function unknownKey(apiKey: string): string {
	const [prefix, keyId = "", secret = ""] = apiKey.split("_");
	const otherId = [...keyId].reverse().join("");
	const unchecked = `${prefix}_${otherId}_${secret.slice(0, -6)}`;
	return unchecked + checksumOf(unchecked);
}
