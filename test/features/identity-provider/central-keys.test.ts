/** Tests of calls with central keys that go through the whole application. */
import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import type { Answered, CallOptions } from "../../support/calls.ts";
import { LastingDatabase } from "../../support/lasting.ts";
import { House, keyOf, useHouse } from "./house.ts";

const context = useHouse();

const KEY = keyOf("user-1");

const settings = { app: { interests: ["moss"] } };
const uses: [use: string, (key: string) => Promise<Answered>][] = [
	["GET /api/me", (key) => context.resort.me({ key })],
	["POST /api/session", (apiKey) => context.resort.call("POST", "/api/session", { body: { apiKey } })],
	[
		"PATCH /api/profile-settings",
		(key) => context.resort.call("PATCH", "/api/profile-settings", { key, body: settings }),
	],
];

describe("a central key (from the identity provider)", () => {
	test.each(uses)("is refused by %s if the key lacks the scope `resort:use`", async (_use, use) => {
		context.answerWith({ scope: "resort:user profile" });
		const before = await context.resort.dump();
		const answer = await use(KEY);
		expectRefusal(answer, 401, "Unauthorized");
		expect(answer.headers.has("set-cookie")).toBe(false);
		expect(answer.body.hint).toContain(context.provider.url);
		expect(context.provider.asked).toHaveLength(1);
		expect(await context.resort.dump()).toBe(before);
	});

	test.each(uses)("is refused by %s if the agent of the key has been deactivated", async (_use, use) => {
		const { resort } = context;
		expect((await resort.call("DELETE", "/api/me", { key: KEY })).status).toBe(200);
		for (const number of [1, 2]) {
			const answer = await use(keyOf("user-1", number));
			expectRefusal(answer, 401, "Unauthorized");
		}
		const call = context.proxied("GET", "/api/me", "getMe");
		expect((await resort.me(call)).status).toBe(401);
	});
});

describe("an outage of the identity provider", () => {
	test("causes 503 for calls with central keys or with sessions of such keys, and affects no other calls", async () => {
		const session = await context.resort.login(keyOf("user-2"));
		context.resort.advance(5 * MINUTE_MS);
		const before = await context.resort.dump();
		context.provider.answer = () => Promise.withResolvers<Response>().promise;
		const answers = await Promise.all([
			...uses.map(([, use]) => use(KEY)),
			context.resort.call("GET", "/api/stays", { session }),
			context.resort.call("POST", "/api/checkout", { session }),
		]);
		for (const answer of answers) {
			expectRefusal(answer, 503, "Identity provider unavailable");
			expect(answer.headers.get("retry-after")).toBe("5");
			expect(answer.headers.has("set-cookie")).toBe(false);
		}
		for (const path of ["/api/lobby", "/api/health"]) await context.resort.send("GET", path, { key: KEY });
		expect(await context.resort.dump()).toBe(before);
		const call = context.proxied("GET", "/api/me", "getMe");
		expect((await context.resort.me(call)).status).toBe(200);
	});

	// test/core/http/outage-log.test.ts tests the interval between log entries.
	test("is logged once for 20 calls, with its reason and without the keys", async () => {
		const { resort, provider } = context;
		provider.answer = () => new Response("", { status: 401 });
		for (let call = 0; call < 20; call++) await resort.me({ key: keyOf("user-1", call) });
		const properties = { route: "/api/me", requestId: expect.any(String), error: "HTTP 401" };
		expect(resort.log).toEqual([{ level: "error", message: "Identity provider unavailable", properties }]);
		expect(JSON.stringify(resort.log)).not.toContain("ai_");
	});
});

describe("the agent of a central key (from the identity provider)", () => {
	const idOf = async (ask: CallOptions, { resort } = context) => (await resort.me(ask)).body.agent.id;

	test("is created only once if its first 20 calls are concurrent", async () => {
		const callOf = (at: number) =>
			at % 2 === 0 ? { key: keyOf("user-1", at) } : context.proxied("GET", "/api/me", "getMe");
		const ids = await Promise.all(Array.from({ length: 20 }, (_, at) => idOf(callOf(at))));
		expect(new Set(ids).size).toBe(1);
		for (const table of ["agents", "identities"]) {
			const rows = await context.resort.rows(`SELECT * FROM ${table}`);
			expect(rows).toHaveLength(1);
		}
	});

	test("differs between two identity providers, even for keys with the same subject", async () => {
		await using database = new LastingDatabase();
		const ids: string[] = [];
		for (let at = 0; at < 2; at++) {
			await using context = new House({ database });
			ids.push(await idOf({ key: KEY }, context));
		}
		expect(new Set(ids).size).toBe(2);
	});

	test("keeps a name that it has chosen, even if the provider returns another username", async () => {
		await context.resort.rename({ id: "", key: KEY }, "Juniper");
		context.answerWith({ username: "Other" });
		context.resort.advance(MINUTE_MS);
		const me = await context.resort.me({ key: KEY });
		expect(me.body.agent.name).toBe("Juniper");
		expect(context.provider.asked).toHaveLength(2);
	});
});
