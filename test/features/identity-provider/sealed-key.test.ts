/** How the central key of a session is sealed. */
import { describe, expect, test } from "bun:test";
import { openKey, sealKey } from "../../../src/features/identity-provider/sealed-key.ts";

const KEY = "ai_0123456789";
const TOKEN = "0123456789abcdef".repeat(4);
const ISSUER = "https://id.test";

describe("a sealed key", () => {
	test.each([1, 10, 255, 256])("of %d characters opens", (length) => {
		const key = "k".repeat(length);
		const sealed = sealKey(key, TOKEN, ISSUER);
		expect(sealed).toHaveLength(length + 28);
		expect(openKey(sealed, TOKEN, ISSUER)).toBe(key);
	});

	test("of an earlier version opens", () => {
		const sealed = Uint8Array.fromHex(
			"47a16cb4ed22af2bc5af9a688cfd0baebe389a780b8153fedd8cd7189e15e7eecb069eb5284c785d78",
		);
		expect(openKey(sealed, TOKEN, ISSUER)).toBe(KEY);
	});

	test("is another one each time", () => {
		const sealed = Array.from({ length: 10 }, () => sealKey(KEY, TOKEN, ISSUER).toHex());
		expect(new Set(sealed.map((hex) => hex.slice(0, 24))).size).toBe(10);
		expect(new Set(sealed.map((hex) => hex.slice(24))).size).toBe(10);
	});

	test("opens for no other token and no other provider", () => {
		const sealed = sealKey(KEY, TOKEN, ISSUER);
		expect(openKey(sealed, TOKEN.replace("0", "1"), ISSUER)).toBeNull();
		expect(openKey(sealed, TOKEN.toUpperCase(), ISSUER)).toBeNull();
		expect(openKey(sealed, "", ISSUER)).toBeNull();
		expect(openKey(sealed, TOKEN, "https://id.tes")).toBeNull();
		expect(openKey(sealed, TOKEN, "https://elsewhere.test")).toBeNull();
	});

	test("opens with no bit changed, left out or added", () => {
		const sealed = sealKey(KEY, TOKEN, ISSUER);
		for (const at of sealed.keys()) {
			for (const bit of [1, 128]) {
				const changed = Uint8Array.from(sealed, (byte, place) => (place === at ? byte ^ bit : byte));
				expect(openKey(changed, TOKEN, ISSUER)).toBeNull();
			}
			expect(openKey(sealed.subarray(0, at), TOKEN, ISSUER)).toBeNull();
			expect(openKey(sealed.subarray(at + 1), TOKEN, ISSUER)).toBeNull();
		}
		const longer = new Uint8Array([...sealed, 0]);
		expect(openKey(longer, TOKEN, ISSUER)).toBeNull();
	});
});
