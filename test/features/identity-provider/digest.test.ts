import { describe, expect, test } from "bun:test";
import { sha256 } from "../../../src/core/lib/credential.ts";
import { contentDigest } from "../../../src/features/identity-provider/signature-base.ts";
import { digestMatches } from "../../../src/features/identity-provider/signature-input.ts";

/** The body of the examples in RFC 9530 appendix B, and its digests there. */
const BODY = '{"hello": "world"}';
const WITH_LINE_END = `${BODY}\n`;
const SHA_256 = "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=";
const SHA_256_OF_LINE = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=";
const SHA_512 = "WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==";

describe("contentDigest", () => {
	test("is what RFC 9530 and RFC 9421 print", () => {
		expect(contentDigest(Buffer.from(BODY))).toBe(`sha-256=:${SHA_256}:`);
		expect(contentDigest(Buffer.from(WITH_LINE_END))).toBe(`sha-256=:${SHA_256_OF_LINE}:`);
	});

	test("of no body is that of nothing", () => {
		expect(contentDigest(new Uint8Array())).toBe("sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:");
	});
});

/** A field of 1,024 characters. */
const longest = `sha-256=:${SHA_256}:, a="${"x".repeat(964)}"`;

describe("digestMatches", () => {
	test.each([
		`sha-256=:${SHA_256}:`,
		`sha-256=:${SHA_256}:, sha-512=:${SHA_512}:`,
		`sha-512=:${SHA_512}:, sha-256=:${SHA_256}:`,
		`md5=:AAAA:, sha-256=:${SHA_256}:`,
		// A digest that is not looked at may be anything.
		`sha-256=:${SHA_256}:, sha-512=1`,
		longest,
	])("takes %s", (header) => {
		expect(digestMatches(header, sha256(BODY))).toBe(true);
	});

	test.each([
		["nothing", ""],
		["the digest of another body", `sha-256=:${SHA_256_OF_LINE}:`],
		["another algorithm alone", `sha-512=:${SHA_512}:`],
		["the digest twice", `sha-256=:${SHA_256}:, sha-256=:${SHA_256}:`],
		["a wrong one before it", `sha-256=:${SHA_256_OF_LINE}:, sha-256=:${SHA_256}:`],
		["a string", `sha-256="${SHA_256}"`],
		["a list", `sha-256=(:${SHA_256}:)`],
		["a parameter", `sha-256=:${SHA_256}:;a=1`],
		["an empty digest", "sha-256=::"],
		["a shorter digest", "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9D:"],
		["one byte more", `sha-256=:${sha256(BODY).toBase64().slice(0, -1)}AA=:`],
		["no padding", `sha-256=:${SHA_256.slice(0, -1)}:`],
		["a character more than 1,024", longest.replace("x", "xx")],
	])("refuses %s", (_what, header) => {
		expect(digestMatches(header, sha256(BODY))).toBe(false);
	});
});
