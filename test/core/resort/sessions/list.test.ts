import { describe, expect, test } from "bun:test";
import { DAY_MS, toTimestamp as iso, MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { sha256 } from "../../../../src/core/lib/credential.ts";
import { expectRefusal } from "../../../support/answers.ts";
import { drain } from "../../../support/store.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);
const grace = useAgent(resort, { name: "Grace" });

const list = async (ask: object) => (await resort.call("GET", "/api/sessions", ask)).body.sessions;
const use = (session: string) => resort.me({ session });
const idOf = (token: string) => sha256(token).toHex().slice(0, 16);

/** Returns the stored time of the last use of a session. */
async function lastUseOf(token: string): Promise<string | null | undefined> {
	// The time is written after the response.
	await new Promise(setImmediate);
	await drain(resort.context.store);
	const sessions = await list({ key: ada.key });
	return sessions.find(({ id }) => id === idOf(token))?.lastUsedAt;
}

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

	test("omits expired sessions", async () => {
		await resort.login(ada.key);
		resort.advance(7 * DAY_MS - 1);
		expect(await list({ key: ada.key })).toHaveLength(1);
		resort.advance(1);
		expect(await list({ key: ada.key })).toHaveLength(0);
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

	test("is updated after the clock was set back", async () => {
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

	test("by a session ends all other sessions of the agent, but no key", async () => {
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

	test("by a key ends all sessions of the agent", async () => {
		const sessions = [await resort.login(ada.key), await resort.login(ada.key)];
		expect((await end({ key: ada.key, session: sessions[0] })).status).toBe(200);
		for (const session of sessions) {
			expectRefusal(await use(session), 401, "Unauthorized");
		}
		expect(await list({ key: ada.key })).toEqual([]);
	});
});
