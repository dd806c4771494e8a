import { describe, expect, test } from "bun:test";
import { expectAnswer } from "../../support/answers.ts";
import { checksumOf } from "../../support/api-key.ts";
import type { Ask } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const rotate = (ask: Ask) => resort.ask("POST", "/api/me/api-key", ask);

async function statusOf(credential: Ask): Promise<number> {
	return (await resort.ask("GET", "/api/me", credential)).status;
}

describe("POST /api/me/api-key", () => {
	test("returns a new key of the same form", async () => {
		const { status, body } = await rotate({ key: ada.key });
		expectAnswer({ status, body }, 201, "apiKey ok");
		expect(body.apiKey).toMatch(/^ar_[0-9A-Za-z]+_[0-9A-Za-z]{49,}$/);
		expect(body.apiKey.slice(-6)).toBe(checksumOf(body.apiKey.slice(0, -6)));
		const [, oldId, oldSecret] = ada.key.split("_");
		const [, newId, newSecret] = body.apiKey.split("_");
		expect(newId).not.toBe(oldId);
		expect(newSecret).not.toBe(oldSecret);
	});

	for (const order of ["login first", "rotation first"]) {
		test(`leaves no session of the old key: ${order}`, async () => {
			const login = () => resort.login(ada.key);
			const change = () => rotate(ada);
			const [session] =
				order === "login first"
					? await Promise.all([login(), change()])
					: (await Promise.all([change(), login()])).toReversed();
			expect(await statusOf({ session: String(session) })).toBe(401);
			expect(await statusOf({ key: ada.key })).toBe(401);
		});
	}
});
