import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createApiKey, parseApiKey, secretMatches, sha256 } from "../../../src/core/lib/credential.ts";
import { type Random, systemRandom } from "../../../src/core/lib/random.ts";
import { checksumOf } from "../../support/api-key.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A source that gives these bytes over and over. */
function bytesFrom(...source: number[]): Random {
	let at = 0;
	return {
		...systemRandom,
		bytes: (length) => Uint8Array.from({ length }, () => source[at++ % source.length] ?? Number.NaN),
	};
}

describe("createApiKey", () => {
	test("makes ar_<keyId>_<secret> of base 62 digits, with 256 bits before the checksum", () => {
		const keys = new Set<string>();
		for (let made = 0; made < 200; made++) {
			const { apiKey, keyId, secretHash } = createApiKey(systemRandom);
			const parts = apiKey.split("_");
			expect(parts).toHaveLength(3);
			const [prefix, id = "", secret = ""] = parts;
			expect(prefix).toBe("ar");
			expect(id).toBe(keyId);
			expect(id + secret).toMatch(/^[0-9A-Za-z]+$/);
			expect((secret.length - 6) * Math.log2(62)).toBeGreaterThanOrEqual(256);
			expect(apiKey.slice(-6)).toBe(checksumOf(apiKey.slice(0, -6)));
			expect(Buffer.from(secretHash)).toEqual(createHash("sha256").update(secret).digest());
			expect(apiKey.length).toBeLessThanOrEqual(256);
			expect(parseApiKey(apiKey)).toEqual({ keyId, secret });
			expect(secretMatches(secret, secretHash)).toBe(true);
			keys.add(apiKey);
		}
		expect(keys.size).toBe(200);
	});

	test("passes over the bytes that would make some digits likelier", () => {
		const { apiKey } = createApiKey(bytesFrom(248, 255, 249, 61, 252));
		expect(apiKey.slice(0, -6)).toBe(`ar_${"z".repeat(12)}_${"z".repeat(43)}`);
	});
});

describe("parseApiKey", () => {
	test.each([
		// The checksums come from Python's zlib.crc32.
		[`ar_${"0".repeat(12)}_${"0".repeat(43)}`, "2wGbce"],
		["ar_0123456789AB_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq", "1V7qIx"],
		[`ar_resortresort_${"z".repeat(38)}00211`, "00r5mO"],
	])("knows the checksum of %s as %s", (unchecked, checksum) => {
		expect(parseApiKey(unchecked + checksum)?.secret).toBe(
			unchecked.slice("ar_000000000000_".length) + checksum,
		);
	});

	test("refuses every change of a single character", () => {
		const { apiKey } = createApiKey(systemRandom);
		const others = [...DIGITS, "_", "-", " ", "\n", "\0", "é", "🌴"];
		const accepted: string[] = [];
		for (let at = 0; at < apiKey.length; at++) {
			const before = apiKey.slice(0, at);
			const after = apiKey.slice(at + 1);
			for (const other of others.filter((one) => one !== apiKey[at])) {
				const changed = before + other + after;
				if (parseApiKey(changed) !== null) accepted.push(changed);
			}
		}
		expect(accepted).toEqual([]);
	});

	test("refuses a character too many or too few, and two that changed places", () => {
		const { apiKey } = createApiKey(systemRandom);
		for (let at = 0; at < apiKey.length; at++) {
			const before = apiKey.slice(0, at);
			const after = apiKey.slice(at);
			expect(parseApiKey(before + after.slice(1))).toBeNull();
			for (const digit of DIGITS) {
				expect(parseApiKey(before + digit + after)).toBeNull();
			}
			const swapped = before + after.charAt(1) + after.charAt(0) + after.slice(2);
			if (swapped !== apiKey) expect(parseApiKey(swapped)).toBeNull();
		}
	});

	test.each([
		["nothing", ""],
		["a prefix alone", "ar_"],
		["a central key", `ai_${"0".repeat(12)}_${"0".repeat(43)}`],
		["a key with white space around it", ` ar_0_${"0".repeat(49)}\n`],
	])("refuses %s", (_name, unchecked) => {
		expect(parseApiKey(unchecked)).toBeNull();
		expect(parseApiKey(unchecked + checksumOf(unchecked))).toBeNull();
	});
});

describe("secretMatches", () => {
	const secret = "correct horse";

	test.each([
		["the secret that was hashed", secret, sha256(secret), true],
		["another secret", "correct horsf", sha256(secret), false],
		["no secret", "", sha256(secret), false],
		["a secret of an unknown key id", secret, undefined, false],
		["no secret of an unknown key id", "", undefined, false],
	])("%s", (_name, given, hash, matches) => {
		expect(secretMatches(given, hash)).toBe(matches);
	});
});
