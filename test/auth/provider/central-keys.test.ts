/** Central keys through the whole application. */
import { describe, expect, test } from "bun:test";
import { MINUTE_MS, SECOND_MS } from "../../../src/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import { LastingDatabase } from "../../support/lasting.ts";
import type { Answered } from "../../support/resort.ts";
import { House, keyOf } from "./house.ts";

const KEY = keyOf("user-1");
const SUBJECT_HASH = new Bun.CryptoHasher("sha256").update("user-1");
const GUEST = `Guest ${SUBJECT_HASH.digest("hex").slice(0, 8)}`;

/** Each way to use a key. */
const uses: [
	use: string,
	(context: House, key: string) => Promise<Answered>,
][] = [
	["GET", ({ resort }, key) => resort.ask("GET", "/api/me", { key })],
	["POST", ({ resort }, key) => resort.ask("POST", "/api/checkin", { key })],
	[
		"POST /api/session",
		({ resort }, apiKey) =>
			resort.ask("POST", "/api/session", { body: { apiKey } }),
	],
	[
		"PATCH /api/profile-settings",
		({ resort }, key) =>
			resort.ask("PATCH", "/api/profile-settings", {
				key,
				body: { app: { interests: ["moss"] } },
			}),
	],
];

const past = Date.UTC(2026, 2, 10, 12) / SECOND_MS;

describe("refused by what the provider says", () => {
	describe.each<[what: string, members: Record<string, unknown>]>([
		["not active", { active: false }],
		["active in words", { active: "true" }],
		["another issuer", { iss: "https://elsewhere.test" }],
		["no issuer", { iss: undefined }],
		["another audience", { aud: "spa" }],
		["other audiences", { aud: ["spa", "bar"] }],
		["no audience and another client", { client_id: "spa" }],
		["no audience and no client", { client_id: undefined }],
		["another scope", { scope: "resort:user profile" }],
		["no scope", { scope: undefined }],
		["past its end", { exp: past - 1 }],
		["at its end", { exp: past }],
		["nobody", { sub: undefined }],
	])("%s", (_what, members) => {
		test.each(uses)("%s", async (_use, use) => {
			await using context = new House();
			context.answerWith(members);
			const before = await context.resort.dump();
			const answer = await use(context, KEY);
			expectRefusal(answer, 401, "Unauthorized");
			expect(answer.headers.has("set-cookie")).toBe(false);
			expect(answer.body.hint).toContain(context.provider.url);
			expect(context.provider.asked).toHaveLength(1);
			expect(await context.resort.dump()).toBe(before);
		});
	});

	test.each(uses)("%s by an agent that was deactivated", async (_use, use) => {
		await using context = new House();
		const { resort } = context;
		expect((await resort.ask("DELETE", "/api/me", { key: KEY })).status).toBe(
			200,
		);
		for (const number of [1, 2]) {
			const answer = await use(context, keyOf("user-1", number));
			expectRefusal(answer, 401, "Unauthorized");
		}
		const call = context.proxied("GET", "/api/me", "getMe");
		expect((await resort.ask("GET", "/api/me", call)).status).toBe(401);
	});

	test.each([
		"ai_",
		"ai_short",
		"AI_user-1_0123456789",
		`ai_${"x".repeat(254)}`,
		"ai_with a space",
	])("%p is not even asked about", async (key) => {
		await using context = new House();
		const answer = await context.resort.ask("GET", "/api/me", { key });
		expectRefusal(answer, 401, "Unauthorized");
		expect(context.provider.asked).toEqual([]);
	});
});

describe("an outage", () => {
	const outages: [
		what: string,
		answer: (yes: string) => Response | Promise<Response>,
	][] = [
		["500", (yes) => new Response(yes, { status: 500 })],
		["502", (yes) => new Response(yes, { status: 502 })],
		["503", (yes) => new Response(yes, { status: 503 })],
		["429", (yes) => new Response(yes, { status: 429 })],
		["404", (yes) => new Response(yes, { status: 404 })],
		["403", (yes) => new Response(yes, { status: 403 })],
		["its refusal of our secret", () => new Response("", { status: 401 })],
		["a redirect", () => Response.redirect("/oauth2/introspect", 307)],
		["HTML", () => new Response("<p>Maintenance</p>")],
		["JSON of something else", () => Response.json({ error: "invalid" })],
		["silence", () => Promise.withResolvers<Response>().promise],
	];

	test.each(outages)("%s is 503", async (_what, answer) => {
		await using context = new House();
		const session = await context.resort.login(keyOf("user-2"));
		context.resort.advance(5 * MINUTE_MS);
		const before = await context.resort.dump();
		context.provider.answer = () =>
			answer(JSON.stringify(context.provider.yes()));
		const answers = await Promise.all([
			...uses.map(([, use]) => use(context, KEY)),
			context.resort.ask("GET", "/api/stays", { session }),
			context.resort.ask("POST", "/api/checkout", { session }),
		]);
		for (const answer of answers) {
			expectRefusal(answer, 503, "Identity provider unavailable");
			expect(answer.headers.get("retry-after")).toBe("5");
			expect(answer.headers.has("set-cookie")).toBe(false);
		}
		expect(await context.resort.dump()).toBe(before);
	});

	test("is 503 when nobody listens, and nothing public notices", async () => {
		await using context = new House();
		const { resort, provider } = context;
		const { body } = await resort.ask("GET", "/api/me", { key: KEY });
		resort.advance(5 * MINUTE_MS);
		await provider.stop();
		for (const [use, call] of uses) {
			expect((await call(context, KEY)).status, use).toBe(503);
		}
		for (const path of [
			`/api/agents/${body.agent.id}/status`,
			`/api/agents/status?ids=${body.agent.id}`,
			`/api/agents/${body.agent.id}`,
			"/api/lobby",
			"/api/health",
		]) {
			const answer = await resort.ask("GET", path, { key: KEY });
			expect(answer.status, path).toBe(200);
		}
		// A capability call needs no question.
		const call = context.proxied("GET", "/api/me", "getMe");
		expect((await resort.ask("GET", "/api/me", call)).status).toBe(200);
	});

	test("is told in the log with its reason, once in a while and without a key", async () => {
		await using context = new House();
		const { resort, provider } = context;
		provider.answer = () => new Response("", { status: 401 });
		for (let call = 0; call < 20; call++) {
			await resort.ask("GET", "/api/me", { key: keyOf("user-1", call) });
		}
		const line = {
			level: "error",
			message: "Identity provider unavailable",
			properties: {
				route: "/api/me",
				requestId: expect.any(String),
				error: "HTTP 401",
			},
		};
		expect(resort.log).toEqual([line]);
		resort.advance(5 * SECOND_MS - 1);
		await resort.ask("GET", "/api/me", { key: KEY });
		expect(resort.log).toHaveLength(1);
		resort.advance(1);
		await resort.ask("GET", "/api/me", { key: KEY });
		expect(resort.log).toEqual([
			line,
			{ ...line, properties: { ...line.properties, untold: 20 } },
		]);
		expect(JSON.stringify(resort.log)).not.toContain("ai_");
	});

	test("leaves known guests five minutes from their yes", async () => {
		await using context = new House();
		const { resort, provider } = context;
		const session = await resort.login(KEY);
		provider.answer = () => new Response("", { status: 500 });
		const ask = async () => [
			(await resort.ask("GET", "/api/me", { key: KEY })).status,
			(await resort.ask("GET", "/api/me", { session })).status,
			(await resort.ask("GET", "/api/me", { key: keyOf("user-2") })).status,
		];
		for (const ms of [0, MINUTE_MS, 3 * MINUTE_MS, MINUTE_MS - 1]) {
			resort.advance(ms);
			expect(await ask()).toEqual([200, 200, 503]);
		}
		resort.advance(1);
		expect(await ask()).toEqual([503, 503, 503]);
		context.answerWith({});
		expect(await ask()).toEqual([200, 200, 200]);
	});
});

describe("the agent of a key", () => {
	const idOf = async ({ resort }: House, key: string) =>
		(await resort.ask("GET", "/api/me", { key })).body.agent.id;

	test("is made once by twenty first uses at once, with one question", async () => {
		await using context = new House();
		const ids = await Promise.all(
			Array.from({ length: 20 }, () => idOf(context, KEY)),
		);
		expect(new Set(ids).size).toBe(1);
		expect(context.provider.asked).toHaveLength(1);
		for (const table of ["agents", "identities"]) {
			const rows = await context.resort.rows(`SELECT * FROM ${table}`);
			expect(rows).toHaveLength(1);
		}
	});

	test("is made once by first uses of twenty keys and calls at once", async () => {
		await using context = new House();
		const ids = await Promise.all(
			Array.from({ length: 20 }, async (_, at) => {
				if (at % 2 === 0) return idOf(context, keyOf("user-1", at));
				const call = context.proxied("GET", "/api/me", "getMe");
				const { body } = await context.resort.ask("GET", "/api/me", call);
				return body.agent.id;
			}),
		);
		expect(new Set(ids).size).toBe(1);
	});

	test("is one for a subject and another for another", async () => {
		await using context = new House();
		const one = await idOf(context, keyOf("user-1", 1));
		expect(await idOf(context, keyOf("user-1", 2))).toBe(one);
		expect(await idOf(context, keyOf("user-2"))).not.toBe(one);
	});

	test("is another at another issuer", async () => {
		await using database = new LastingDatabase();
		const ids: string[] = [];
		for (let at = 0; at < 2; at++) {
			await using context = new House({ database });
			ids.push(await idOf(context, KEY));
		}
		expect(new Set(ids).size).toBe(2);
	});

	test.each([
		["Coral", "Coral"],
		["  Coral \n\t Reef\u0007 ", "Coral Reef"],
		["x".repeat(101), "x".repeat(100)],
		["🌴".repeat(101), "🌴".repeat(100)],
		["x", GUEST],
		[undefined, GUEST],
		[7, GUEST],
		["<script>alert(1)</script>", "<script>alert(1)</script>"],
	])("that the provider calls %j is named %j", async (username, name) => {
		await using context = new House();
		context.answerWith({ username });
		const { body } = await context.resort.ask("GET", "/api/me", { key: KEY });
		expect(body.agent.name).toBe(name);
	});

	test("keeps the name that it gave itself", async () => {
		await using context = new House();
		const body = { name: "Juniper" };
		await context.resort.ask("PATCH", "/api/me", { key: KEY, body });
		context.answerWith({ username: "Other" });
		context.resort.advance(MINUTE_MS);
		const me = await context.resort.ask("GET", "/api/me", { key: KEY });
		expect(me.body.agent.name).toBe("Juniper");
		expect(context.provider.asked).toHaveLength(2);
	});

	test("has the time of its newest use", async () => {
		await using context = new House();
		const { body } = await context.resort.ask("POST", "/api/session", {
			body: { apiKey: KEY },
		});
		expect(body.agent.lastActive).toBe("2026-03-10T12:00:00.000Z");
	});
});

describe("the identity URL", () => {
	test("may have a path and a slash at its end", async () => {
		await using context = new House({ path: "/api/auth" });
		const iss = `${context.provider.url}/api/auth`;
		for (const [at, issuer] of [iss, `${iss}/`].entries()) {
			context.answerWith({ iss: issuer });
			const key = keyOf("user-1", at);
			expect((await context.resort.ask("GET", "/api/me", { key })).status).toBe(
				200,
			);
		}
		const [asked] = context.provider.asked;
		expect(asked?.request.url).toBe(`${iss}/oauth2/introspect`);
		context.answerWith({});
		const key = keyOf("user-1", 3);
		expect((await context.resort.ask("GET", "/api/me", { key })).status).toBe(
			401,
		);
	});
});
