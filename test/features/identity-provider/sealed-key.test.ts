import { expect, test } from "bun:test";
import { openKey, sealKey } from "../../../src/features/identity-provider/sealed-key.ts";

const KEY = "ai_0123456789";
const TOKEN = "0123456789abcdef".repeat(4);
const ISSUER = "https://id.test";

test("openKey decrypts a key that an earlier version has sealed", () => {
	const hex = "47a16cb4ed22af2bc5af9a688cfd0baebe389a780b8153fedd8cd7189e15e7eecb069eb5284c785d78";
	expect(openKey(Uint8Array.fromHex(hex), TOKEN, ISSUER)).toBe(KEY);
});

test("openKey refuses a sealed key after any change, and with another token or issuer", () => {
	const sealed = sealKey(KEY, TOKEN, ISSUER);
	expect(openKey(sealed, TOKEN, ISSUER)).toBe(KEY);
	expect(sealKey(KEY, TOKEN, ISSUER)).not.toEqual(sealed);
	expect(openKey(sealed, TOKEN.toUpperCase(), ISSUER)).toBeNull();
	expect(openKey(sealed, TOKEN, "https://id.tes")).toBeNull();
	for (const at of sealed.keys()) {
		const changed = sealed.with(at, (sealed[at] ?? 0) ^ 1);
		expect(openKey(changed, TOKEN, ISSUER)).toBeNull();
		expect(openKey(sealed.subarray(0, at), TOKEN, ISSUER)).toBeNull();
	}
	expect(openKey(new Uint8Array([...sealed, 0]), TOKEN, ISSUER)).toBeNull();
});
