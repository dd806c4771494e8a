/** Tests of signed calls that go through the whole application. */
import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { onPostgres } from "../../support/engine.ts";
import { TestResort } from "../../support/resort.ts";
import { House, keyOf, useHouse } from "./house.ts";

const context = useHouse();

const KEY = keyOf("user-1");

describe("a signed call", () => {
	test("creates an agent with a default name, and a key with the same subject then belongs to that agent", async () => {
		const { resort } = context;
		const first = await resort.me(context.proxied("GET", "/api/me", "getMe"));
		expect(first.body.agent.name).toMatch(/^Guest [0-9a-f]{8}$/);
		const same = await resort.me({ key: KEY });
		expect(same.body.agent).toEqual(first.body.agent);
		const other = context.proxied("GET", "/api/me", "getMe", { subject: "user-2" });
		const { body } = await resort.me(other);
		expect(body.agent.id).not.toBe(same.body.agent.id);
		expect(body.agent.lastActive).toBe("2026-03-10T12:00:00.000Z");
	});

	test.each<[what: string, method: string, string, number, string, object]>([
		["a query", "GET", "/api/stays?limit=1&offset=0", 200, "listStays", {}],
		["percent-encoding in the query", "GET", "/api/stays?limit=%31&_=%2F..%2F", 200, "listStays", {}],
		["the method HEAD", "HEAD", "/api/me", 200, "getMe", {}],
		["the method DELETE", "DELETE", "/api/me", 200, "deactivateMe", {}],
		["a JSON body and a query", "POST", "/api/checkin?_=1", 201, "checkIn", { json: {} }],
		["a body that is not ASCII", "PATCH", "/api/me", 200, "updateMe", { json: { name: "Zoë 🌴" } }],
	])("is accepted with %s", async (_, method, path, expected, capability, changes) => {
		const call = context.proxied(method, path, capability, changes);
		const { status, text } = await context.resort.call(method, path, call);
		expect(status, text).toBe(expected);
	});

	test.each([
		["authorization", "Bearer wrong"],
		["authorization", "Bearer "],
		["authorization", `Bearer ${keyOf("user-2")}`],
		["cookie", "__Host-resort_session=wrong"],
		["origin", "https://elsewhere.test"],
	])("is accepted even if its field `%s` has the value %j", async (name, value) => {
		const call = context.proxied("PATCH", "/api/me", "updateMe", { json: { bio: "b" } });
		const headers = { [name]: value, ...call.headers };
		const { status, body } = await context.resort.call("PATCH", "/api/me", { ...call, headers });
		expect(status).toBe(200);
		expect(body.agent.name).toMatch(/^Guest /);
		expect(context.provider.asked).toEqual([]);
	});

	test.each([
		["a subject other than the signed one", { "x-agent-subject": "user-2" }],
		["a signature that cannot be parsed", { signature: "x" }],
		["an empty signature", { signature: "" }],
	])("is refused and changes nothing if it has %s, even with a valid API key", async (_, bad) => {
		const { resort } = context;
		await resort.me({ key: KEY });
		resort.advance(30_000);
		const before = await resort.dump();
		const call = context.proxied("POST", "/api/checkin", "checkIn");
		const answer = await resort.call("POST", "/api/checkin", {
			headers: { ...call.headers, ...bad, authorization: `Bearer ${KEY}` },
		});
		expectRefusal(answer, 401, "Unauthorized");
		expect(await resort.dump()).toBe(before);
		const { status } = await resort.call("POST", "/api/checkin", call);
		expect(status).toBe(201);
	});

	test("returns 401 if its agent is deactivated while the call waits for events", async () => {
		const { resort } = context;
		const url = "/api/me/events?wait=60";
		for (const [method, path, status] of [
			["POST", "/api/checkin", 200],
			["DELETE", "/api/me", 401],
		] as const) {
			const call = context.proxied("GET", url, "listOwnEvents");
			const waiting = resort.call("GET", url, call);
			await resort.untilWaiting();
			await resort.call(method, path, { key: KEY });
			expect((await waiting).status).toBe(status);
		}
	});

	test("is accepted once if it is sent 50 times concurrently", async () => {
		const call = context.proxied("POST", "/api/checkin", "checkIn");
		const answers = await Promise.all(
			Array.from({ length: 50 }, () => context.resort.call("POST", "/api/checkin", call)),
		);
		const statuses = answers.map(({ status }) => status).sort();
		expect(statuses).toEqual([201, ...Array<number>(49).fill(401)]);
	});

	test("cannot be sent again, even if the operation returned an error the first time", async () => {
		const { resort } = context;
		for (const [json, error] of [
			[{ moodOnDeparture: "m".repeat(301) }, "moodOnDeparture must be at most 300 characters"],
			[{}, "Not checked in"],
		] as const) {
			const call = context.proxied("POST", "/api/checkout", "checkOut", { json });
			const first = await resort.call("POST", "/api/checkout", call);
			expectRefusal(first, 400, error);
			const again = await resort.call("POST", "/api/checkout", call);
			expectRefusal(again, 401, "Unauthorized");
		}
	});
});

test.each([
	["64 KiB, the maximum,", 201, 64 * 1024],
	["64 KiB and one byte, one more than the maximum,", 413, 64 * 1024 + 1],
	["1 MiB, which is too long but can be verified,", 413, 1024 * 1024],
	// The resort does not read a body of more than 1 MiB, so it cannot verify the signature of the call.
	["1 MiB and one byte, which is too long to be verified,", 401, 1024 * 1024 + 1],
])("a signed call with a body of %s returns %d", async (_, expected, length) => {
	const json = { padding: "a".repeat(length - '{"padding":""}'.length) };
	const call = context.proxied("POST", "/api/checkin", "checkIn", { json });
	expect(call.raw).toHaveLength(length);
	expect((await context.resort.call("POST", "/api/checkin", call)).status).toBe(expected);
});

describe("signature fields", () => {
	const garbage = { signature: "garbage", "signature-input": "garbage" };

	test("are ignored by operations without authentication, but not by GET /api/me", async () => {
		const { resort } = context;
		for (const [method, path, body] of [
			["GET", "/api/lobby"],
			["GET", "/api/activities"],
			["POST", "/api/agents"],
			["POST", "/api/session", { apiKey: KEY }],
		] as const) {
			const { status } = await resort.call(method, path, { headers: garbage, ...(body && { body }) });
			expect(status, path).toBe(200);
		}
		const session = await resort.login(KEY);
		const me = await resort.me({ session, headers: garbage });
		expect(me.status).toBe(401);
		const logout = await resort.call("DELETE", "/api/session", { session, headers: garbage });
		expect(logout.status).toBe(200);
		const call = context.proxied("DELETE", "/api/session", "deleteSession");
		expect((await resort.call("DELETE", "/api/session", call)).status).toBe(401);
	});

	test("are ignored by a resort without an identity provider", async () => {
		await using resort = new TestResort();
		const { key } = await resort.register();
		const session = await resort.login(key);
		for (const ask of [{ key }, { session }]) {
			const { status } = await resort.me({ ...ask, headers: garbage });
			expect(status).toBe(200);
		}
		const call = context.proxied("GET", "/api/me", "getMe");
		expect((await resort.me(call)).status).toBe(401);
	});
});

test("an agent's calls share a rate limit, whatever their credentials", async () => {
	await using context = new House({ rateLimits: true });
	const { resort } = context;
	const session = await resort.login(KEY);
	const asks = [
		() => ({ key: KEY }),
		() => ({ key: keyOf("user-1", 2) }),
		() => ({ session }),
		() => context.proxied("POST", "/api/checkin", "checkIn"),
		() => context.proxied("POST", "/api/checkin", "checkIn", { agentId: "other" }),
	];
	for (const ask of asks) {
		expect((await resort.call("POST", "/api/checkin", ask())).status).not.toBe(429);
	}
	for (const ask of asks) {
		expect((await resort.call("POST", "/api/checkin", ask())).status).toBe(429);
	}
	const other = context.proxied("POST", "/api/checkin", "checkIn", { subject: "user-2" });
	expect((await resort.call("POST", "/api/checkin", other)).status).toBe(201);
});

test("a signed call whose nonce cannot be stored returns 503, and is accepted when it is sent again later", async () => {
	const { resort } = context;
	const me = () => context.proxied("GET", "/api/me", "getMe");
	expect((await resort.me(me())).status).toBe(200);
	const call = context.proxied("POST", "/api/checkin", "checkIn");
	if (onPostgres) await resort.server.cut();
	else resort.sqlite.run("PRAGMA query_only = ON");
	for (let times = 0; times < 3; times++) {
		const refused = await resort.call("POST", "/api/checkin", call);
		expectRefusal(refused, 503, "Storage unavailable");
		expect(refused.headers.get("retry-after")).toBe("5");
		const unread = await resort.me(me());
		expectRefusal(unread, 503, "Storage unavailable");
	}
	if (onPostgres) await resort.server.heal();
	else resort.sqlite.run("PRAGMA query_only = OFF");
	const lobby = await resort.call("GET", "/api/lobby");
	expect(lobby.body.guests).toEqual([]);
	expect((await resort.call("POST", "/api/checkin", call)).status).toBe(201);
	expect((await resort.call("POST", "/api/checkin", call)).status).toBe(401);
});
