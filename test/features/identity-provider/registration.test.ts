/**
 * Tests of a resort with an identity provider: registration at the resort, and keys that the resort created.
 */
import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { LastingDatabase } from "../../support/lasting.ts";
import { TestResort } from "../../support/resort.ts";
import { House, keyOf, useHouse } from "./house.ts";

const context = useHouse();

describe("POST /api/agents of a resort with an identity provider", () => {
	test("without a name returns the brief, with a hint that names the provider", async () => {
		for (const body of [undefined, {}, { phase: "discover", name: "Ada" }]) {
			const answer = await context.resort.call("POST", "/api/agents", body && { body });
			expect(answer.status).toBe(200);
			expect(answer.body.brief.nameSeeds).toHaveLength(4);
			expect(answer.body.hint).toContain(context.provider.url);
			expect(answer.text).not.toContain("apiKey");
		}
	});

	test("with a name returns 400, names the provider, and stores nothing", async () => {
		const before = await context.resort.dump();
		for (const body of [{ name: "Ada" }, { name: "Ada", phase: "register", bio: "b" }]) {
			const answer = await context.resort.call("POST", "/api/agents", { body });
			const error = `Register at the identity provider: enable the resort app at ${context.provider.url}`;
			expectRefusal(answer, 400, error);
		}
		expect(await context.resort.dump()).toBe(before);
		expect(context.provider.asked).toEqual([]);
	});
});

test("keys and sessions are valid only in the mode of their creation: with or without an identity provider", async () => {
	await using database = new LastingDatabase();
	const first = new TestResort({ database });
	const ada = await first.guest();
	const direct = await first.login(ada.key);
	await first.close();

	let central: string;
	{
		await using context = new House({ database });
		const { resort, provider } = context;
		const before = await resort.dump();
		for (const ask of [{ key: ada.key }, { session: direct }]) {
			expectRefusal(await resort.me(ask), 401, "Unauthorized");
			expectRefusal(await resort.call("POST", "/api/checkout", ask), 401, "Unauthorized");
		}
		const login = await resort.call("POST", "/api/session", { body: { apiKey: ada.key } });
		expectRefusal(login, 401, "Unauthorized");
		expect(login.headers.has("set-cookie")).toBe(false);
		const logout = await resort.call("DELETE", "/api/session", { session: direct });
		expect(logout.status).toBe(401);
		expect(provider.asked).toEqual([]);
		expect(await context.resort.dump()).toBe(before);
		// The data of the agent remains public.
		const status = await resort.call("GET", `/api/agents/${ada.id}/status`);
		expect(status.body.status).toBe("relaxing");
		central = await resort.login(keyOf("user-1"));
		expect(central).not.toBe("");
	}

	await using last = new TestResort({ database });
	for (const ask of [{ key: ada.key }, { session: direct }]) {
		const { status, body } = await last.me(ask);
		expect(status).toBe(200);
		expect(body.agent.id).toBe(ada.id);
	}
	for (const ask of [{ session: central }, { key: keyOf("user-1") }]) {
		expect((await last.me(ask)).status).toBe(401);
	}
});
