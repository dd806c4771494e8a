import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createApiKey, parseApiKey, secretMatches } from "../../../src/core/lib/credential.ts";
import { type Random, systemRandom } from "../../../src/core/lib/random.ts";
import { checksumOf } from "../../support/api-key.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns a random generator whose bytes are those of `source`, again and again. */
function bytesFrom(...source: number[]): Random {
	let at = 0;
	return {
		...systemRandom,
		bytes: (length) => Uint8Array.from({ length }, () => source[at++ % source.length] ?? Number.NaN),
	};
}

describe("createApiKey", () => {
	test("returns `ar_<keyId>_<secret>`, whose secret has 256 random bits and a checksum in base-62 digits", () => {
		const keys = new Set<string>();
		for (let made = 0; made < 200; made++) {
			const { apiKey, keyId, secretHash } = createApiKey(systemRandom);
			const secret = apiKey.slice(`ar_${keyId}_`.length);
			// The last part has 43 random digits of 5.95 bits each, and 6 digits of checksum.
			expect(apiKey).toMatch(/^ar_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
			expect(apiKey.slice(-6)).toBe(checksumOf(apiKey.slice(0, -6)));
			expect(Buffer.from(secretHash)).toEqual(createHash("sha256").update(secret).digest());
			expect(parseApiKey(apiKey)).toEqual({ keyId, secret });
			expect(secretMatches(secret, secretHash)).toBe(true);
			keys.add(apiKey);
		}
		expect(keys.size).toBe(200);
	});

	test("skips random bytes above 247, which would make some digits more likely than others", () => {
		const { apiKey } = createApiKey(bytesFrom(248, 255, 249, 61, 252));
		expect(apiKey.slice(0, -6)).toBe(`ar_${"z".repeat(12)}_${"z".repeat(43)}`);
	});
});

describe("parseApiKey", () => {
	test("accepts a key whose checksum was computed by another program", () => {
		// This checksum comes from Python's zlib.crc32, and begins with zeros.
		const secret = `${"z".repeat(38)}0021100r5mO`;
		expect(parseApiKey(`ar_resortresort_${secret}`)?.secret).toBe(secret);
	});

	test("refuses a key in which one character was changed, added or removed, or two were swapped", () => {
		const { apiKey } = createApiKey(systemRandom);
		for (let at = 0; at < apiKey.length; at++) {
			const before = apiKey.slice(0, at);
			const after = apiKey.slice(at);
			const swapped = before + after.charAt(1) + after.charAt(0) + after.slice(2);
			const others = [before + after.slice(1), swapped];
			for (const digit of [...DIGITS, "_", "-", " ", "\n", "\0", "é", "🌴"]) {
				others.push(before + digit + after, before + digit + after.slice(1));
			}
			for (const other of others) expect(parseApiKey(other) === null || other === apiKey).toBe(true);
		}
	});
});
