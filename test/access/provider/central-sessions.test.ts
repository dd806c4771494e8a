/** Sessions that are made with central keys. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { CentralSessions } from "../../../src/access/provider/sessions.ts";
import { DAY_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import { temporaryFolder } from "../../support/executable.ts";
import { House, keyOf } from "./house.ts";

const KEY = keyOf("user-1");

let house: House;
let session: string;
beforeEach(async () => {
	house = new House();
	session = await house.resort.login(KEY);
});
afterEach(() => house[Symbol.asyncDispose]());

const me = () => house.resort.ask("GET", "/api/me", { session });

describe("a session", () => {
	test("has the cookie of direct mode", async () => {
		const { headers } = await house.resort.ask("POST", "/api/session", {
			body: { apiKey: KEY },
		});
		expect(headers.get("set-cookie")).toMatch(
			/^__Host-resort_session=[0-9a-f]{64}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
		);
	});

	test("is the agent of the key, and asks by the same memory", async () => {
		const key = await house.resort.ask("GET", "/api/me", { key: KEY });
		expect((await me()).body.agent).toEqual(key.body.agent);
		const { status } = await house.resort.ask("POST", "/api/checkin", {
			session,
		});
		expect(status).toBe(201);
		expect(house.provider.asked).toHaveLength(1);
	});

	test("ends within a minute of its key", async () => {
		house.answerWith({ active: false });
		house.resort.advance(MINUTE_MS - 1);
		expect((await me()).status).toBe(200);
		house.resort.advance(1);
		expectRefusal(await me(), 401, "Unauthorized");
	});

	test("ends when its key does", async () => {
		house.answerWith({ exp: house.resort.nowMs / 1_000 + 30 });
		const short = await house.resort.login(keyOf("user-1", 2));
		const ask = () => house.resort.ask("GET", "/api/me", { session: short });
		house.resort.advance(30_000 - 1);
		expect((await ask()).status).toBe(200);
		house.resort.advance(1);
		expect((await ask()).status).toBe(401);
	});

	test("ends by DELETE /api/session, and no other with it", async () => {
		const other = await house.resort.login(KEY);
		const { status, headers } = await house.resort.ask(
			"DELETE",
			"/api/session",
			{ session },
		);
		expect(status).toBe(200);
		expect(headers.get("set-cookie")).toContain("Max-Age=0");
		expectRefusal(await me(), 401, "Unauthorized");
		session = other;
		expect((await me()).status).toBe(200);
	});

	test("ends after seven days", async () => {
		house.resort.advance(7 * DAY_MS - 1);
		expect((await me()).status).toBe(200);
		house.resort.advance(1);
		expectRefusal(await me(), 401, "Unauthorized");
	});

	test("ends when its agent is deactivated", async () => {
		await house.resort.ask("DELETE", "/api/me", { session });
		expectRefusal(await me(), 401, "Unauthorized");
	});

	test.each(["", "x", "a".repeat(64)])("is not %p", async (other) => {
		session = other;
		expectRefusal(await me(), 401, "Unauthorized");
	});

	test.each([
		["https://elsewhere.test", 403],
		["null", 403],
		["http://resort.test", 201],
	])("from %s: %d", async (origin, expected) => {
		const { status } = await house.resort.ask("POST", "/api/checkin", {
			session,
			headers: { origin },
		});
		expect(status).toBe(expected);
		// The key is no cookie that a page could make a browser send.
		const byKey = await house.resort.ask("PATCH", "/api/me", {
			key: KEY,
			headers: { origin },
			body: { bio: "b" },
		});
		expect(byKey.status).toBe(200);
	});

	test("does not save a call whose Bearer key is refused", async () => {
		house.answerWith({ active: false });
		const answer = await house.resort.ask("GET", "/api/me", {
			session,
			key: keyOf("user-1", 2),
		});
		expectRefusal(answer, 401, "Unauthorized");
	});
});

test("a session ends when the resort restarts, and is stored nowhere", async () => {
	using folder = temporaryFolder();
	const database = join(folder.path, "resort.sqlite");
	let kept: string;
	{
		await using first = new House({ database });
		kept = await first.resort.login(KEY);
		const dump = await first.dump();
		expect(dump).not.toContain("ai_");
		const { sqlite } = first.resort;
		expect(sqlite.query("SELECT * FROM sessions").all()).toEqual([]);
	}
	await using second = new House({ database });
	const answer = await second.resort.ask("GET", "/api/me", { session: kept });
	expectRefusal(answer, 401, "Unauthorized");
	expect(second.provider.asked).toEqual([]);
});

describe("the memory of sessions", () => {
	test("forgets those that have ended", () => {
		const sessions = new CentralSessions();
		for (let at = 0; at < 10; at++) {
			sessions.add(`token-${at}`, { apiKey: KEY, expiresAt: at + 100 }, at);
		}
		sessions.add("last", { apiKey: KEY, expiresAt: 205 }, 105);
		expect(sessions.size).toBe(5);
		expect(sessions.find("token-5", 104)).toBeNull();
		expect(sessions.find("token-6", 105)).toEqual({
			apiKey: KEY,
			expiresAt: 106,
		});
	});

	test("holds 50,000, and the oldest makes room", () => {
		const sessions = new CentralSessions();
		const add = (at: number) =>
			sessions.add(`token-${at}`, { apiKey: KEY, expiresAt: 1 }, 0);
		for (let at = 0; at < 50_000; at++) add(at);
		expect(sessions.size).toBe(50_000);
		expect(sessions.find("token-0", 0)).not.toBeNull();
		add(50_000);
		expect(sessions.size).toBe(50_000);
		expect(sessions.find("token-0", 0)).toBeNull();
		expect(sessions.find("token-1", 0)).not.toBeNull();
		expect(sessions.find("token-50000", 0)).not.toBeNull();
	});
});
