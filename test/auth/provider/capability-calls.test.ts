/** Good capability calls through the whole application. */
import { describe, expect, test } from "bun:test";
import { SECOND_MS } from "../../../src/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import { TestResort } from "../../support/resort.ts";
import { SECRETS } from "./calls.ts";
import { House, keyOf } from "./house.ts";

const KEY = keyOf("user-1");

describe("a capability call", () => {
	test("is the agent of the subject's key, named until it has a name", async () => {
		await using context = new House();
		const { resort } = context;
		const first = await resort.ask(
			"GET",
			"/api/me",
			context.proxied("GET", "/api/me", "getMe"),
		);
		expect(first.body.agent.name).toMatch(/^Guest [0-9a-f]{8}$/);
		const same = await resort.ask("GET", "/api/me", { key: KEY });
		expect(same.body.agent).toEqual(first.body.agent);
		const other = context.proxied("GET", "/api/me", "getMe", {
			subject: "user-2",
		});
		const { body } = await resort.ask("GET", "/api/me", other);
		expect(body.agent.id).not.toBe(same.body.agent.id);
		expect(body.agent.lastActive).toBe("2026-03-10T12:00:00.000Z");
	});

	test.each([
		["resort-1", SECRETS[0]],
		["resort-2", SECRETS[1]],
	] as const)("is taken with %s", async (keyId, secret) => {
		await using context = new House();
		const call = context.proxied("POST", "/api/checkin", "checkIn", {
			keyId,
			secret,
			json: { moodOnArrival: "frayed" },
		});
		const { status, body } = await context.resort.ask(
			"POST",
			"/api/checkin",
			call,
		);
		expect(status).toBe(201);
		expect(body.stay.moodOnArrival).toBe("frayed");
	});

	test.each<[method: string, path: string, capability: string, json: object]>([
		["POST", "/api/checkin?x=1", "checkIn", {}],
		["PATCH", "/api/me", "updateMe", { name: "Zoë 🌴" }],
		[
			"PATCH",
			"/api/profile-settings",
			"updateProfileSettings",
			{ app: { interests: ["moss"] } },
		],
	])("%s %s with a body", async (method, path, capability, json) => {
		await using context = new House();
		const call = context.proxied(method, path, capability, { json });
		const { status, text } = await context.resort.ask(method, path, call);
		expect(status, text).toBe(method === "POST" ? 201 : 200);
	});

	test.each([
		["GET", "/api/stays?limit=1&offset=0", "listStays"],
		["GET", "/api/stays?limit=%31&x=%2F..%2F", "listStays"],
		["HEAD", "/api/me", "getMe"],
		["DELETE", "/api/me", "deactivateMe"],
	])("%s %s", async (method, path, capability) => {
		await using context = new House();
		const call = context.proxied(method, path, capability);
		const { status, text } = await context.resort.ask(method, path, call);
		expect(status, text).toBe(200);
	});

	test.each([
		"https://resort.example/spa",
		"https://resort.example/spa/v1",
		"http://127.0.0.1:8080",
	])("is signed for the base URL %s, whatever the host", async (baseUrl) => {
		await using context = new House({ baseUrl });
		const { resort } = context;
		for (const host of ["resort.example", "elsewhere.test:1", "127.0.0.1"]) {
			const call = context.proxied("GET", "/api/me", "getMe");
			const { status } = await resort.ask("GET", "/api/me", {
				headers: {
					...call.headers,
					host,
					"x-forwarded-host": "elsewhere.test",
					forwarded: "host=elsewhere.test;proto=https",
				},
			});
			expect(status, host).toBe(200);
		}
		const forHost = context.proxied("GET", "/api/me", "getMe", {
			url: "http://resort.test/api/me",
		});
		const refused = await resort.ask("GET", "/api/me", forHost);
		expect(refused.status).toBe(401);
	});

	test("decides alone beside a bad key, a bad cookie and a foreign origin", async () => {
		await using context = new House();
		const beside: Record<string, string>[] = [
			{ authorization: "Bearer wrong" },
			{ authorization: "Bearer " },
			{ authorization: `Bearer ${keyOf("user-2")}` },
			{ cookie: "__Host-resort_session=wrong" },
			{ origin: "https://elsewhere.test" },
		];
		for (const headers of beside) {
			const call = context.proxied("PATCH", "/api/me", "updateMe", {
				json: { bio: "b" },
			});
			const { status, body } = await context.resort.ask("PATCH", "/api/me", {
				...call,
				headers: { ...headers, ...call.headers },
			});
			expect(status, JSON.stringify(headers)).toBe(200);
			expect(body.agent.name).toMatch(/^Guest /);
		}
		expect(context.provider.asked).toEqual([]);
	});

	test.each([
		[-30, 200],
		[-31, 401],
		[90, 200],
		[91, 401],
	])("is used %d s after it was signed: %d", async (seconds, expected) => {
		await using context = new House();
		const { resort } = context;
		resort.advance(60 * SECOND_MS);
		const call = context.proxied("GET", "/api/me", "getMe");
		resort.advance(seconds * SECOND_MS);
		expect((await resort.ask("GET", "/api/me", call)).status).toBe(expected);
	});

	test("is taken although it was signed before the start", async () => {
		await using context = new House();
		const { nowMs } = context.resort;
		for (const beforeMs of [1, SECOND_MS, 89 * SECOND_MS]) {
			const call = context.proxied("GET", "/api/me", "getMe", {
				nowMs: nowMs - beforeMs,
			});
			const answer = await context.resort.ask("GET", "/api/me", call);
			expect(answer.status, `${beforeMs} ms before`).toBe(200);
		}
	});

	test("counts once of fifty at the same time", async () => {
		await using context = new House();
		const call = context.proxied("POST", "/api/checkin", "checkIn");
		const answers = await Promise.all(
			Array.from({ length: 50 }, () =>
				context.resort.ask("POST", "/api/checkin", call),
			),
		);
		const statuses = answers.map(({ status }) => status).sort();
		expect(statuses).toEqual([201, ...Array<number>(49).fill(401)]);
	});

	test("that breaks a rule or a bound is used up all the same", async () => {
		await using context = new House();
		const { resort } = context;
		for (const [json, error] of [
			[
				{ moodOnDeparture: "m".repeat(301) },
				"moodOnDeparture must be at most 300 characters",
			],
			[{}, "Not checked in"],
		] as const) {
			const call = context.proxied("POST", "/api/checkout", "checkOut", {
				json,
			});
			const first = await resort.ask("POST", "/api/checkout", call);
			expectRefusal(first, 400, error);
			const again = await resort.ask("POST", "/api/checkout", call);
			expectRefusal(again, 401, "Unauthorized");
		}
	});
});

describe("the body of a call", () => {
	const path = "/api/checkin";
	const ask = (context: House, body: string, type = "application/json") => {
		const { headers } = context.proxied("POST", path, "checkIn", { body });
		return context.resort.ask("POST", path, {
			raw: body,
			headers: { ...headers, "content-type": type },
		});
	};

	test.each([
		[64 * 1024, 201],
		[64 * 1024 + 1, 413],
		[1024 * 1024, 413],
		[1024 * 1024 + 1, 401],
	])("of %d bytes: %d", async (length, expected) => {
		await using context = new House();
		const padding = "a".repeat(length - '{"padding":""}'.length);
		const body = JSON.stringify({ padding });
		expect(body).toHaveLength(length);
		expect((await ask(context, body)).status).toBe(expected);
	});

	test.each(["0", "00"])("may be none, told as %s bytes", async (length) => {
		await using context = new House();
		const call = context.proxied("POST", path, "checkIn");
		const headers = { ...call.headers, "content-length": length };
		const asked = await context.resort.ask("POST", path, { ...call, headers });
		expect(asked.status).toBe(201);
	});

	test.each([
		["breaks off", "{", "application/json"],
		["is a list", "[]", "application/json"],
		["is null", "null", "application/json"],
		["is plain text", "{}", "text/plain"],
	])("%s: 400 once the caller is known", async (_what, body, type) => {
		await using context = new House();
		expect((await ask(context, body, type)).status).toBe(400);
		const { headers } = context.proxied("POST", path, "checkIn", {
			body: `${body} `,
		});
		const tampered = await context.resort.ask("POST", path, {
			raw: body,
			headers,
		});
		expect(tampered.status).toBe(401);
	});
});

describe("signature fields are ignored", () => {
	const garbage = { signature: "garbage", "signature-input": "garbage" };

	test("on operations without authentication, and for the session", async () => {
		await using context = new House();
		const { resort } = context;
		const open: [method: string, path: string, body?: object][] = [
			["GET", "/api/lobby"],
			["GET", "/api/health"],
			["GET", "/api/activities"],
			["POST", "/api/agents", {}],
		];
		for (const [method, path, body] of open) {
			const { status } = await resort.ask(method, path, {
				headers: garbage,
				...(body && { body }),
			});
			expect(status, path).toBe(200);
		}
		const login = await resort.ask("POST", "/api/session", {
			headers: garbage,
			body: { apiKey: KEY },
		});
		expect(login.status).toBe(200);
		const [, session = ""] =
			/resort_session=([^;]+)/.exec(login.headers.get("set-cookie") ?? "") ??
			[];
		const me = await resort.ask("GET", "/api/me", {
			session,
			headers: garbage,
		});
		expect(me.status).toBe(401);
		const logout = await resort.ask("DELETE", "/api/session", {
			session,
			headers: garbage,
		});
		expect(logout.status).toBe(200);
		const call = context.proxied("DELETE", "/api/session", "deleteSession");
		expect((await resort.ask("DELETE", "/api/session", call)).status).toBe(401);
	});

	test("in direct mode", async () => {
		const resort = new TestResort();
		const { key } = await resort.register();
		const session = await resort.login(key);
		for (const ask of [{ key }, { session }]) {
			const { status } = await resort.ask("GET", "/api/me", {
				...ask,
				headers: garbage,
			});
			expect(status).toBe(200);
		}
		await using context = new House();
		const call = context.proxied("GET", "/api/me", "getMe");
		expect((await resort.ask("GET", "/api/me", call)).status).toBe(401);
		await resort.close();
	});
});

describe("limits", () => {
	test("are the agent's, whichever credential it uses", async () => {
		await using context = new House({ rateLimits: true });
		const { resort } = context;
		const session = await resort.login(KEY);
		const asks = [
			() => ({ key: KEY }),
			() => ({ key: keyOf("user-1", 2) }),
			() => ({ session }),
			() => context.proxied("POST", "/api/checkin", "checkIn"),
			() =>
				context.proxied("POST", "/api/checkin", "checkIn", {
					agentId: "other",
				}),
		];
		const remaining: (string | null)[] = [];
		for (const ask of asks) {
			const { headers } = await resort.ask("POST", "/api/checkin", ask());
			remaining.push(
				/r=(\d)/.exec(headers.get("ratelimit") ?? "")?.[1] ?? null,
			);
		}
		expect(remaining).toEqual(["4", "3", "2", "1", "0"]);
		for (const ask of asks) {
			expect((await resort.ask("POST", "/api/checkin", ask())).status).toBe(
				429,
			);
		}
		const other = context.proxied("POST", "/api/checkin", "checkIn", {
			subject: "user-2",
		});
		expect((await resort.ask("POST", "/api/checkin", other)).status).toBe(201);
	});

	test("come after the credential and the body, and before the rules", async () => {
		await using context = new House({ rateLimits: true });
		const { resort } = context;
		const bad = { json: { moodOnArrival: "m".repeat(301) } };
		const checkIn = (changes: object, headers = {}) => {
			const call = context.proxied("POST", "/api/checkin", "checkIn", changes);
			return resort.ask("POST", "/api/checkin", {
				...call,
				headers: { ...call.headers, ...headers },
			});
		};
		const forged = { "x-agent-id": "other" };
		for (let call = 0; call < 6; call++) {
			expect((await checkIn(bad, forged)).status).toBe(401);
			expect((await checkIn(bad)).status).toBe(400);
		}
		for (let call = 0; call < 5; call++) {
			expect((await checkIn({})).status).toBe(call === 0 ? 201 : 400);
		}
		expect((await checkIn({})).status).toBe(429);
		expect((await checkIn(bad)).status).toBe(400);
		expect((await checkIn(bad, forged)).status).toBe(401);
		const body = bad.json;
		for (const [key, status] of [
			[KEY, 400],
			["ai_short", 401],
		] as const) {
			const answer = await resort.ask("POST", "/api/checkin", { key, body });
			expect(answer.status).toBe(status);
		}
	});
});

test("POST /api/me/api-key is 400 for every credential that it takes", async () => {
	await using context = new House();
	const { resort, provider } = context;
	const session = await resort.login(KEY);
	const call = context.proxied("POST", "/api/me/api-key", "rotateApiKey");
	for (const ask of [{ key: KEY }, call]) {
		expectRefusal(
			await resort.ask("POST", "/api/me/api-key", ask),
			400,
			`Keys are made and replaced at the identity provider: ${provider.url}`,
		);
	}
	for (const ask of [{ session }, {}, { key: "ar_x" }]) {
		const { status } = await resort.ask("POST", "/api/me/api-key", ask);
		expect(status).toBe(401);
	}
});
