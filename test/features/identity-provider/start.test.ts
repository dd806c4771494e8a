/** Tests of the executable with an identity provider. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deriveKey } from "../../../src/core/lib/sealed-text.ts";
import { serve } from "../../support/executable.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { SECRETS, sign } from "./calls.ts";
import { keyOf } from "./house.ts";
import { Provider } from "./provider.ts";

/** Sends a signed `GET /api/me`, and returns the status. */
async function getMe(url: string, changes: { secret?: string; keyId?: "resort-2" } = {}): Promise<number> {
	const own = { method: "GET", url: `${url}/api/me`, capability: "getMe" };
	const headers = sign({ ...own, ...changes });
	return (await fetch(`${url}/api/me`, { headers })).status;
}

test("two secrets verify signatures, and the first one authenticates the resort at the identity provider", async () => {
	using folder = new TemporaryFolder();
	await using provider = new Provider();
	writeFileSync(join(folder.path, "secret"), ` ${SECRETS.join(" , ")}\n`);
	const resort = await serve(["serve", "--ephemeral"], {
		cwd: folder.path,
		env: {
			RESORT_IDENTITY_URL: `${provider.url}/`,
			RESORT_IDENTITY_SECRET_FILE: "secret",
			RESORT_IDENTITY_INTROSPECTION_PATH: "/other/path",
		},
	});
	expect(await getMe(resort.url)).toBe(200);
	const second = { secret: SECRETS[1], keyId: "resort-2" } as const;
	expect(await getMe(resort.url, second)).toBe(200);
	expect(await getMe(resort.url, { secret: SECRETS[1] })).toBe(401);

	await resort.send("GET", "/api/me", { key: keyOf("user-1") });
	const [asked] = provider.asked;
	expect(asked?.request.url).toBe(`${provider.url}/other/path`);
	const basic = asked?.request.headers.get("authorization")?.slice(6) ?? "";
	const password = Buffer.from(deriveKey(SECRETS[0], "introspection")).toString("base64url");
	expect(atob(basic)).toBe(`resort:${password}`);

	const { exitCode, stderr, stdout } = await resort.stop();
	expect(exitCode).toBe(0);
	for (const secret of [...SECRETS, password, "ai_"]) {
		expect(stdout + stderr).not.toContain(secret);
	}
});
