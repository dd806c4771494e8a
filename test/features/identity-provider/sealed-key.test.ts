import { expect, test } from "bun:test";
import { openKey, sealKey } from "../../../src/features/identity-provider/sealed-key.ts";

const KEY = "ai_0123456789";
const TOKEN = "0123456789abcdef".repeat(4);
const ISSUER = "https://id.test";

test("openKey decrypts a key sealed by an earlier version, and returns null if a bit of the sealed key was changed", () => {
	const hex = "47a16cb4ed22af2bc5af9a688cfd0baebe389a780b8153fedd8cd7189e15e7eecb069eb5284c785d78";
	const sealed = Uint8Array.fromHex(hex);
	expect(openKey(sealed, TOKEN, ISSUER)).toBe(KEY);
	for (const at of sealed.keys()) {
		expect(openKey(sealed.with(at, (sealed[at] ?? 0) ^ 1), TOKEN, ISSUER)).toBeNull();
	}
	expect(sealKey(KEY, TOKEN, ISSUER)).not.toEqual(sealKey(KEY, TOKEN, ISSUER));
});
