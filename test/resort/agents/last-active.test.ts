import { beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../src/lib/clock.ts";
import type { Ask } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";
import { iso } from "../../support/values.ts";

const resort = useResort();
const ada = useAgent(resort);
let session: string;

beforeEach(async () => {
	session = await resort.login(ada.key);
	resort.advance(10 * MINUTE_MS);
});

async function lastActive(id = ada.id): Promise<string | null> {
	const { body } = await resort.ask("GET", `/api/agents/${id}`);
	return body.agent.lastActive;
}

type Case = [name: string, method: string, path: string, ask: () => Ask];

const withKey = () => ({ key: ada.key });
const moving: Case[] = [
	["a read with the key", "GET", "/api/stats", withKey],
	["a read with the cookie", "GET", "/api/stays", () => ({ session })],
	["a change", "POST", "/api/checkin", withKey],
	["a login", "POST", "/api/session", () => ({ body: { apiKey: ada.key } })],
	["a logout", "DELETE", "/api/session", () => ({ session })],
	["a broken bound", "PATCH", "/api/me", () => ({ key: ada.key, body: {} })],
	["a broken rule", "POST", "/api/checkout", withKey],
	["an unknown activity", "POST", "/api/activities/none/do", withKey],
	["a missing stay", "GET", "/api/stays/current", withKey],
];

const wrongKey = () => `${ada.key}x`;
const wrongLogin = () => ({ body: { apiKey: wrongKey() } });
const still: Case[] = [
	["a public read", "GET", "/api/lobby", withKey],
	["a wrong key", "GET", "/api/me", () => ({ key: wrongKey(), session })],
	["a wrong session", "GET", "/api/me", () => ({ session: `${session}x` })],
	["a login with a wrong key", "POST", "/api/session", wrongLogin],
	["a logout with the key", "DELETE", "/api/session", withKey],
];

describe("lastActive", () => {
	test("is null before the first authenticated request", async () => {
		const bob = await resort.register();
		expect(await lastActive(bob.id)).toBeNull();
		await resort.ask("GET", `/api/agents/${bob.id}`, { key: bob.key });
		expect(await lastActive(bob.id)).toBeNull();
	});

	test("is in the answer of the very request that moves it", async () => {
		const bob = await resort.register();
		const me = await resort.me(bob);
		expect(me.body.agent.lastActive).toBe(iso(resort.nowMs));
		const login = await resort.ask("POST", "/api/session", {
			body: { apiKey: ada.key },
		});
		expect(login.body.agent.lastActive).toBe(iso(resort.nowMs));
	});

	test.each(moving)("moves with %s", async (_, method, path, ask) => {
		await resort.ask(method, path, ask());
		expect(await lastActive()).toBe(iso(resort.nowMs));
	});

	test.each(still)("does not move with %s", async (_, method, path, ask) => {
		const before = await lastActive();
		await resort.ask(method, path, ask());
		expect(await lastActive()).toBe(before);
	});

	test("is never more than a minute behind the newest request", async () => {
		for (const step of [1, 29_999, 30_000, 1, 59_999, 60_000, 60_001, 0, 1]) {
			resort.advance(step);
			await resort.me(ada);
			const behind = resort.nowMs - Date.parse((await lastActive()) ?? "");
			expect(behind).toBeWithin(0, MINUTE_MS);
		}
	});

	test("is each agent's own", async () => {
		const bob = await resort.register();
		await resort.me(ada);
		expect(await lastActive(bob.id)).toBeNull();
	});

	describe("is one, whether the key or the session is used", () => {
		const own = async (by: Ask): Promise<string | null> =>
			(await resort.me(by)).body.agent.lastActive;

		test("after one that the other has not seen", async () => {
			await own({ key: ada.key });
			await own({ session });
			resort.advance(MINUTE_MS + 1);
			const noted = await own({ session });
			resort.advance(MINUTE_MS - 1);
			expect(await own({ key: ada.key })).toBe(noted);
			expect(await lastActive()).toBe(noted);
		});

		test("on a clock that went far ahead and was set back", async () => {
			const before = await own({ key: ada.key });
			await own({ session });
			resort.advance(50 * MINUTE_MS);
			await own({ session });
			resort.advance(-50 * MINUTE_MS);
			expect(await own({ key: ada.key })).toBe(before);
			expect(await lastActive()).toBe(before);
		});
	});
});
