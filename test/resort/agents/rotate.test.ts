import { describe, expect, test } from "bun:test";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { checksumOf } from "../../support/api-key.ts";
import type { Ask } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const rotate = (ask: Ask) => resort.ask("POST", "/api/me/api-key", ask);

async function statusOf(credential: Ask): Promise<number> {
	return (await resort.me(credential)).status;
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

	test("makes the new key the agent's, and stops the old one", async () => {
		const { body } = await rotate({ key: ada.key });
		const me = await resort.me({ key: body.apiKey });
		expect(me.body.agent.id).toBe(ada.id);
		expect(await statusOf({ key: ada.key })).toBe(401);
		const login = await resort.ask("POST", "/api/session", {
			body: { apiKey: ada.key },
		});
		expectRefusal(login, 401, "Unauthorized");
		expectRefusal(await rotate({ key: ada.key }), 401, "Unauthorized");
	});

	test("stops every session of the old key and none of another's", async () => {
		const bob = await resort.register();
		const bobs = await resort.login(bob.key);
		const old = [await resort.login(ada.key), await resort.login(ada.key)];
		const { body } = await rotate({ key: ada.key });
		for (const session of old) expect(await statusOf({ session })).toBe(401);
		expect(await statusOf({ session: bobs })).toBe(200);
		expect(await statusOf({ key: bob.key })).toBe(200);
		const session = await resort.login(body.apiKey);
		expect(await statusOf({ session })).toBe(200);
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
