import { expect, test } from "bun:test";
import { TestResort } from "../support/resort.ts";
import { requireNoSecrets } from "../support/secrets.ts";

test("a credential in an output is found, and not told again", async () => {
	const resort = new TestResort();
	const { key } = await resort.register();
	const session = await resort.login(key);
	await resort.close();
	for (const secret of [key, session, "ai_0123456789"]) {
		for (const output of [
			secret,
			`{"key":"${secret}"}\n`,
			`ready\nBearer ${secret}, and more`,
			`/api/me?key=${secret}`,
		]) {
			const look = () => requireNoSecrets(output);
			expect(look).toThrow("a credential was written");
			expect(look).not.toThrow(secret);
		}
	}
});

test("ids, hashes of keys cut short and words are no credentials", () => {
	for (const output of [
		"",
		"01a20094-1af1-76e9-898b-44359cfec7c8",
		"exp-01a20094-1af1-76e9-898b-44359cfec7c8",
		"ar_<keyId>_<secret>",
		"keys ai_... and ar_...",
		"0".repeat(63),
		"0".repeat(65),
	]) {
		expect(() => requireNoSecrets(output)).not.toThrow();
	}
});
