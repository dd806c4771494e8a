import { describe, expect, test } from "bun:test";
import { getLogger } from "@logtape/logtape";
import { Sweeper } from "../../../../src/cli/sweeper.ts";
import { DAY_MS, toTimestamp as iso, MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { sha256 } from "../../../../src/core/lib/credential.ts";
import { expectBrokenBound, expectRefusal } from "../../../support/answers.ts";
import { unstorable } from "../../../support/bodies.ts";
import type { CallOptions } from "../../../support/calls.ts";
import { drain } from "../../../support/store.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";
import { COOKIE } from "../../../support/values.ts";

const resort = useResort();
const ada = useAgent(resort);
const grace = useAgent(resort, { name: "Grace" });

const lengths = (length: number) => ["a".repeat(length), "🌴".repeat(length)];
const login = (apiKey: unknown) => resort.call("POST", "/api/session", { body: { apiKey } });

const use = (session: string) => resort.me({ session });
const statusOf = async (session: string) => (await use(session)).status;
const list = async (ask: object) => (await resort.call("GET", "/api/sessions", ask)).body.sessions;
const idOf = (token: string) => sha256(token).toHex().slice(0, 16);

/** Returns the stored time of the last use of a session. */
async function lastUseOf(token: string): Promise<string | null | undefined> {
	// `lastUsedAt` is written after the response.
	await new Promise(setImmediate);
	await drain(resort.context.store);
	const sessions = await list({ key: ada.key });
	return sessions.find(({ id }) => id === idOf(token))?.lastUsedAt;
}

describe("POST /api/session", () => {
	test("sets one cookie with the documented attributes, returns the token nowhere else, and stores only the token's hash", async () => {
		const { headers, text } = await login(ada.key);
		const [cookie = "", ...others] = headers.getSetCookie();
		const [, token = ""] = COOKIE.exec(cookie) ?? [];
		expect(others).toEqual([]);
		expect(token).not.toBe("");
		expect(text).not.toContain(token);
		expect(await resort.holds(token)).toBe(false);
		expect(await resort.holds(Buffer.from(token, "hex"))).toBe(false);
		const hash = new Bun.CryptoHasher("sha256").update(token).digest();
		expect(await resort.holds(hash)).toBe(true);
	});

	test("deletes expired sessions, so that they stay invalid after the clock is set back", async () => {
		const session = await resort.login(ada.key);
		expect(await statusOf(session)).toBe(200);
		resort.advance(8 * DAY_MS);
		await resort.login(ada.key);
		resort.advance(-8 * DAY_MS);
		expect(await statusOf(session)).toBe(401);
	});

	test("creates a session that expires after seven days; the next sweep after that deletes it", async () => {
		const sweeper = new Sweeper(resort.context, DAY_MS, getLogger());
		const kept = async () => {
			await sweeper.sweep();
			return (await resort.rows("SELECT 1 FROM sessions")).length;
		};
		const first = await resort.login(ada.key);
		resort.advance(DAY_MS);
		const later = await resort.login(ada.key);
		resort.advance(6 * DAY_MS - 1);
		expect(await kept()).toBe(2);
		expect(await list({ key: ada.key })).toHaveLength(2);
		expect(await statusOf(first)).toBe(200);
		resort.advance(1);
		expect(await statusOf(first)).toBe(401);
		expect(await list({ key: ada.key })).toHaveLength(1);
		expect(await kept()).toBe(1);
		expect(await statusOf(later)).toBe(200);
	});

	test("returns 401 for an `apiKey` of 10 to 256 characters that is not a key, and for a key with white space around it", async () => {
		const { key } = ada;
		const padded = [` ${key}`, `${key} `, `${key}\n`, " ".repeat(10), "ar_short  "];
		for (const text of [...lengths(10), ...lengths(256), ...padded]) {
			const answer = await login(text);
			expectRefusal(answer, 401, "Unauthorized");
			expect(answer.headers.getSetCookie()).toEqual([]);
		}
	});

	test("returns 400 for an `apiKey` that is too short, too long or not a string", async () => {
		for (const text of [...lengths(9), ...lengths(257), " ".repeat(9)]) {
			const answer = await login(text);
			expectBrokenBound(answer, "apiKey");
			expect(answer.body.error).toContain("10 to 256");
		}
		for (const value of [undefined, null, 1234567890, true, [], {}, ...unstorable]) {
			expectBrokenBound(await login(value), "apiKey");
		}
	});
});

describe("GET /api/sessions", () => {
	test("lists the caller's sessions, newest first, and marks the session of the call", async () => {
		const start = resort.nowMs;
		const first = await resort.login(ada.key);
		resort.advance(MINUTE_MS);
		const second = await resort.login(ada.key);
		await resort.login(grace.key);
		const entry = (token: string, createdAt: number) => ({
			id: idOf(token),
			createdAt: iso(createdAt),
			lastUsedAt: iso(createdAt),
			expiresAt: iso(createdAt + 7 * DAY_MS),
			isCurrent: false,
		});
		const [newest, oldest] = [entry(second, start + MINUTE_MS), entry(first, start)];
		expect(await list({ key: ada.key })).toEqual([newest, oldest]);
		const current = { isCurrent: true, lastUsedAt: iso(resort.nowMs) };
		expect(await list({ session: first })).toEqual([newest, { ...oldest, ...current }]);
	});
});

describe("lastUsedAt of a session", () => {
	test("is updated at most once in five minutes", async () => {
		const session = await resort.login(ada.key);
		const { store } = resort.context;
		const start = resort.nowMs;
		expect(await lastUseOf(session)).toBe(iso(start));
		resort.advance(5 * MINUTE_MS - 1);
		await resort.me(ada);
		await drain(store);
		const before = store.statistics.committedChanges;
		await use(session);
		expect(await lastUseOf(session)).toBe(iso(start));
		expect(store.statistics.committedChanges).toBe(before);
		resort.advance(1);
		await use(session);
		expect(await lastUseOf(session)).toBe(iso(start + 5 * MINUTE_MS));
	});

	test("is updated even after the clock was set back", async () => {
		const session = await resort.login(ada.key);
		await use(session);
		await lastUseOf(session);
		resort.advance(-5 * MINUTE_MS);
		await use(session);
		expect(await lastUseOf(session)).toBe(iso(resort.nowMs));
	});
});

describe("DELETE /api/sessions", () => {
	const end = (ask: object) => resort.call("DELETE", "/api/sessions", ask);

	test("ends all other sessions of the agent if called with a session cookie, and the API key stays valid", async () => {
		const [own, other] = [await resort.login(ada.key), await resort.login(ada.key)];
		const graces = await resort.login(grace.key);
		for (const session of [own, other, graces]) await use(session);
		const { status, body, headers } = await end({ session: own });
		expect(status).toBe(200);
		expect<unknown>(body).toEqual({ ok: true });
		expect(headers.getSetCookie()).toEqual([]);
		expectRefusal(await use(other), 401, "Unauthorized");
		expect((await use(own)).status).toBe(200);
		expect((await use(graces)).status).toBe(200);
		expect(await list({ key: ada.key })).toHaveLength(1);
	});

	test("ends all sessions of the agent if called with an API key", async () => {
		const sessions = [await resort.login(ada.key), await resort.login(ada.key)];
		expect((await end({ key: ada.key, session: sessions[0] })).status).toBe(200);
		for (const session of sessions) {
			expectRefusal(await use(session), 401, "Unauthorized");
		}
		expect(await list({ key: ada.key })).toEqual([]);
	});
});

test("if the clock is set back after a call with a session, the next call with an API key sets lastActive back too", async () => {
	const own = async (by: CallOptions) => (await resort.me(by)).body.agent.lastActive;
	const session = await resort.login(ada.key);
	resort.advance(10 * MINUTE_MS);
	const before = await own({ key: ada.key });
	await own({ session });
	resort.advance(50 * MINUTE_MS);
	await own({ session });
	resort.advance(-50 * MINUTE_MS);
	expect(await own({ key: ada.key })).toBe(before);
	const shown = await resort.call("GET", `/api/agents/${ada.id}`);
	expect(shown.body.agent.lastActive).toBe(before);
});
