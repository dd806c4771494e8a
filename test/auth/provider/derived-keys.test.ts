import { describe, expect, test } from "bun:test";
import { createHmac, hkdfSync } from "node:crypto";
import {
	introspectionPassword,
	proxyKey,
} from "../../../src/auth/provider/derived-keys.ts";

const SECRET = "a-secret-of-at-least-thirty-two-characters";

/** HKDF-SHA-256 as RFC 5869 section 2 writes it: extract, then expand. */
function hkdf(ikm: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
	const mac = (key: Buffer, data: Buffer) =>
		createHmac("sha256", key).update(data).digest();
	const key = mac(salt.length > 0 ? salt : Buffer.alloc(32), ikm);
	let block: Buffer = Buffer.alloc(0);
	let all: Buffer = Buffer.alloc(0);
	for (let count = 1; all.length < length; count++) {
		block = mac(key, Buffer.concat([block, info, Buffer.from([count])]));
		all = Buffer.concat([all, block]);
	}
	return all.subarray(0, length);
}

/** The bytes from one number up to another, both included. */
function bytes(from: number, to: number): Buffer {
	return Buffer.from(
		Array.from({ length: to - from + 1 }, (_, at) => from + at),
	);
}

const none = Buffer.alloc(0);

/** RFC 5869 appendix A, SHA-256. */
const vectors = [
	[
		"A.1",
		Buffer.alloc(22, 0x0b),
		bytes(0x00, 0x0c),
		bytes(0xf0, 0xf9),
		"3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
	],
	[
		"A.2",
		bytes(0x00, 0x4f),
		bytes(0x60, 0xaf),
		bytes(0xb0, 0xff),
		"b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
	],
	[
		"A.3",
		Buffer.alloc(22, 0x0b),
		none,
		none,
		"8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
	],
] as const;

describe("the derivation", () => {
	test.each(vectors)(
		"RFC 5869 %s, by the text and by the runtime",
		(_name, ikm, salt, info, okm) => {
			const length = okm.length / 2;
			expect(hkdf(ikm, salt, info, length).toHex()).toBe(okm);
			const derived = hkdfSync("sha256", ikm, salt, info, length);
			expect(Buffer.from(derived).toHex()).toBe(okm);
		},
	);

	test.each([SECRET, "", "ö🌴".repeat(40), "x".repeat(1_000)])(
		"of %j is that of RFC 5869 with an empty salt and 32 bytes",
		(secret) => {
			const of = (info: string) =>
				hkdf(Buffer.from(secret), none, Buffer.from(info), 32);
			expect(proxyKey(secret).toHex()).toBe(of("agent-auth-proxy").toHex());
			expect(introspectionPassword(secret)).toBe(
				of("introspection").toString("base64url"),
			);
		},
	);

	test("gives values that other implementations give", () => {
		// openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt key:… -kdfopt info:… HKDF
		expect(proxyKey(SECRET).toHex()).toBe(
			"055ff81d6fef1845445844732dd3d0f3d826a99fd67dd1212bec919838c35a94",
		);
		expect(introspectionPassword(SECRET)).toBe(
			"Uy-KLi3_fPus3efnQSXubGyD2oT1cHbB9ZbL0XyNtxk",
		);
		expect(proxyKey(SECRET)).toHaveLength(32);
	});
});
