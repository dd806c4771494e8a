import { beforeEach, describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { forged, unknownKey } from "../../support/api-key.ts";
import { asJson, largeBody } from "../../support/bodies.ts";
import type { Ask } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);
let session: string;

beforeEach(async () => {
	session = await resort.login(ada.key);
});

const operations: [method: string, path: string][] = [
	["GET", "/api/me"],
	["PATCH", "/api/me"],
	["DELETE", "/api/me"],
	["POST", "/api/me/api-key"],
	["POST", "/api/checkin"],
	["POST", "/api/checkout"],
	["GET", "/api/stays"],
	["GET", "/api/stays?limit=0"],
	["GET", "/api/stays/current"],
	["POST", "/api/activities/none/do"],
	["GET", "/api/activities/log"],
	["GET", "/api/activities/log?offset=-1"],
	["GET", "/api/stats"],
	["DELETE", "/api/session"],
];

const refused: [name: string, ask: () => Ask][] = [
	["no credential", () => ({})],
	["an empty Bearer", () => ({ headers: { authorization: "Bearer" } })],
	["an unknown key", () => ({ key: unknownKey(ada.key) })],
	["a known key id with another secret", () => ({ key: forged(ada.key) })],
	["a mistyped key", () => ({ key: ada.key.replace(/.$/, "!") })],
	["a key cut short", () => ({ key: ada.key.slice(0, -6) })],
	["a key twice", () => ({ key: `${ada.key} ${ada.key}` })],
	["a central key", () => ({ key: ada.key.replace("ar_", "ai_") })],
	["a session as the key", () => ({ key: session })],
	["a key as the session", () => ({ session: ada.key })],
	["an unknown session", () => ({ session: "0".repeat(64) })],
	["an empty session", () => ({ session: "" })],
	["a session that is JSON", () => ({ session: '{"a":1}' })],
	["a session that is a number", () => ({ session: "12345" })],
	["a session with a broken escape", () => ({ session: "%zz" })],
	[
		"a basic login",
		() => ({ headers: { authorization: `Basic ${btoa(ada.key)}` } }),
	],
	["the key without a scheme", () => ({ headers: { authorization: ada.key } })],
	["another cookie", () => ({ headers: { cookie: `session=${session}` } })],
];

describe("a request without a good credential", () => {
	for (const [name, ask] of refused) {
		test(`is refused everywhere: ${name}`, async () => {
			for (const [method, path] of operations) {
				const answer = await resort.ask(method, path, ask());
				expectRefusal(answer, 401, "Unauthorized");
			}
		});
	}

	test("is refused before its body is judged", async () => {
		const bodies = [asJson("{"), { body: { name: 5, notes: 5 } }, largeBody];
		for (const [method, path] of operations) {
			if (method === "GET") continue;
			for (const body of bodies) {
				const answer = await resort.ask(method, path, body);
				expectRefusal(answer, 401, "Unauthorized");
			}
		}
	});

	test("is refused when the agent is gone", async () => {
		await resort.ask("DELETE", "/api/me", { key: ada.key });
		for (const [method, path] of operations) {
			for (const credential of [{ key: ada.key }, { session }]) {
				const answer = await resort.ask(method, path, credential);
				expectRefusal(answer, 401, "Unauthorized");
			}
		}
	});
});

describe("key and cookie together", () => {
	test("the Bearer header decides", async () => {
		const bob = await resort.register({ name: "Bob" });
		const me = await resort.ask("GET", "/api/me", { key: bob.key, session });
		expect(me.body.agent.id).toBe(bob.id);
	});

	test("a wrong Bearer is not made good by the cookie", async () => {
		for (const authorization of ["Bearer", "Bearer nonsense", "bearer x"]) {
			const answer = await resort.ask("GET", "/api/me", {
				session,
				headers: { authorization },
			});
			expectRefusal(answer, 401, "Unauthorized");
		}
	});

	test("another scheme than Bearer counts as none", async () => {
		for (const authorization of ["Basic eDp5", "Digest a=b", ada.key]) {
			const me = await resort.ask("GET", "/api/me", {
				session,
				headers: { authorization },
			});
			expect(me.status).toBe(200);
		}
	});

	test("the scheme is read in any case", async () => {
		for (const scheme of ["bearer", "BEARER", "Bearer"]) {
			const me = await resort.ask("GET", "/api/me", {
				headers: { authorization: `${scheme} ${ada.key}` },
			});
			expect(me.status).toBe(200);
		}
	});
});

describe("a public operation", () => {
	for (const path of [
		"/api/lobby",
		"/api/activities",
		"/api/health",
		"/api/agents/status?ids=none",
	]) {
		test(`${path} ignores wrong credentials`, async () => {
			const { status, body } = await resort.ask("GET", path, {
				key: "nonsense",
				session: "nonsense",
			});
			expect([status, body.ok]).toEqual([200, true]);
		});
	}
});

describe("a change by cookie from another origin", () => {
	test("is refused, and one from the own origin is not", async () => {
		const checkIn = (origin: string, credential: Ask) =>
			resort.ask("POST", "/api/checkin", {
				...credential,
				headers: { origin },
			});
		const foreign = await checkIn("https://evil.example", { session });
		expectRefusal(foreign, 403, foreign.body.error);
		expect((await checkIn("null", { session })).status).toBe(403);
		expect((await checkIn("http://resort.test", { session })).status).toBe(201);
		const bob = await resort.register();
		const byKey = await checkIn("https://evil.example", { key: bob.key });
		expect(byKey.status).toBe(201);
	});
});
