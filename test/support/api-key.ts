import { crc32 } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns the checksum that ends a key: the CRC-32 of the characters before it, as six digits in base 62. */
export function checksumOf(text: string): string {
	let rest = crc32(text);
	let digits = "";
	while (rest > 0) {
		digits = DIGITS.charAt(rest % 62) + digits;
		rest = Math.floor(rest / 62);
	}
	return digits.padStart(6, "0");
}

/** Returns a well-formed key with the id of the given key and another secret. */
export function forged(apiKey: string): string {
	const [prefix, keyId, secret = ""] = apiKey.split("_");
	const own = [...secret.slice(0, -6)].reverse().join("");
	const unchecked = `${prefix}_${keyId}_${own}`;
	return unchecked + checksumOf(unchecked);
}

/** Returns a well-formed key that no agent has. */
export function unknownKey(apiKey: string): string {
	const [prefix, keyId = "", secret = ""] = apiKey.split("_");
	const otherId = [...keyId].reverse().join("");
	const unchecked = `${prefix}_${otherId}_${secret.slice(0, -6)}`;
	return unchecked + checksumOf(unchecked);
}
