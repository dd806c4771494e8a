/** Tests of sessions that are created with central keys, and of restarts with another provider or without one. */
import { beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../src/core/lib/clock.ts";
import { sha256 } from "../../../src/core/lib/credential.ts";
import { EXTERNAL_CHANGE } from "../../../src/core/store/store.ts";
import { expectRefusal } from "../../support/answers.ts";
import { bytes, onPostgres } from "../../support/engine.ts";
import { LastingDatabase } from "../../support/lasting.ts";
import { TestResort } from "../../support/resort.ts";
import { until } from "../../support/until.ts";
import { useDisposable } from "../../support/use-disposable.ts";
import { House, keyOf, useHouse } from "./house.ts";

const KEY = keyOf("user-1");

const context = useHouse();
let session: string;
beforeEach(async () => {
	session = await context.resort.login(KEY);
});

const sessions = () => context.resort.rows("SELECT sealed_key FROM sessions");

const me = () => context.resort.me({ session });

describe("a session of a central key (from the identity provider)", () => {
	test("belongs to the agent of the key, and uses the cached introspection of the key", async () => {
		const key = await context.resort.me({ key: KEY });
		expect((await me()).body.agent).toEqual(key.body.agent);
		const { status } = await context.resort.call("POST", "/api/checkin", { session });
		expect(status).toBe(201);
		expect(context.provider.asked).toHaveLength(1);
	});

	test("is refused at the latest one minute after its key was revoked", async () => {
		context.answerWith({ active: false });
		context.resort.advance(MINUTE_MS - 1);
		expect((await me()).status).toBe(200);
		context.resort.advance(1);
		expectRefusal(await me(), 401, "Unauthorized");
	});
});

test("a call with a session is refused if the session is deleted during the introspection of its key", async () => {
	const { promise, resolve } = Promise.withResolvers<Response>();
	context.provider.answer = () => promise;
	context.resort.advance(MINUTE_MS);
	const asked = context.provider.asked.length;
	const calling = context.resort.call("POST", "/api/checkin", { session });
	await until(() => context.provider.asked.length > asked);
	await context.resort.rows("DELETE FROM sessions");
	const { store } = context.resort.context;
	await store.write(() => store.publish(EXTERNAL_CHANGE));
	resolve(Response.json(context.provider.yes()));
	expectRefusal(await calling, 401, "Unauthorized");
});

describe("the stored session of a central key", () => {
	test("does not remain if the agent is deactivated during the login", async () => {
		const [gone, login] = await Promise.all([
			context.resort.call("DELETE", "/api/me", { session }),
			context.resort.call("POST", "/api/session", { body: { apiKey: KEY } }),
		]);
		expect(gone.status).toBe(200);
		// On PostgreSQL, the login may succeed before the deactivation, which then ends the session.
		if (!onPostgres || login.status !== 200) {
			expectRefusal(login, 401, "Unauthorized");
			expect(login.headers.getSetCookie()).toEqual([]);
		}
		expect(await sessions()).toEqual([]);
	});

	test("contains neither the key nor the token of the session", async () => {
		expect(await context.resort.holds(sha256(session))).toBe(true);
		for (const secret of [KEY, "ai_", session, Uint8Array.fromHex(session), sha256(KEY)]) {
			expect(await context.resort.holds(secret)).toBe(false);
		}
	});

	test.each<[what: string, change: (sealedKey: Uint8Array, other: string) => string]>([
		["if it has expired", () => `expires_at = ${context.resort.nowMs}`],
		["if its sealed key is missing", () => "sealed_key = NULL"],
		["if its key is stored as plain text", () => `sealed_key = ${bytes(Buffer.from(KEY))}`],
		["if its sealed key is truncated", (sealedKey) => `sealed_key = ${bytes(sealedKey.subarray(0, 20))}`],
		["if it names another agent", () => "agent_id = (SELECT max(id) FROM agents)"],
		[
			"if its sealed key is that of another session",
			(_, other) => `sealed_key = (SELECT sealed_key FROM sessions WHERE token_hash = ${other})`,
		],
	])("is refused %s", async (_, change) => {
		const [row] = await sessions();
		const other = await context.resort.login(KEY);
		await context.resort.login(keyOf("user-2"));
		const changed = change(row?.sealed_key as Uint8Array, bytes(sha256(other)));
		await context.resort.rows(`UPDATE sessions SET ${changed} WHERE token_hash = ${bytes(sha256(session))}`);
		expectRefusal(await me(), 401, "Unauthorized");
		expect((await context.resort.me({ session: other })).status).toBe(200);
	});
});

describe("after a restart", () => {
	const database = useDisposable(() => new LastingDatabase());

	test("a session of a central key remains valid, and its key is introspected again", async () => {
		const first = new House({ database });
		const { provider } = first;
		const kept = await first.resort.login(KEY);
		const before = await first.resort.me({ session: kept });
		await first.resort.close();
		await using second = new House({ database, provider });
		const after = await second.resort.me({ session: kept });
		expect(after.status).toBe(200);
		expect(after.body.agent.id).toBe(before.body.agent.id);
		expect(provider.asked.map(({ token }) => token)).toEqual([KEY, KEY]);
	});

	test("with another identity provider, an earlier session is refused, and its key is not sent to the provider", async () => {
		const first = new House({ database });
		const kept = await first.resort.login(KEY);
		await first[Symbol.asyncDispose]();
		await using second = new House({ database });
		const answer = await second.resort.me({ session: kept });
		expectRefusal(answer, 401, "Unauthorized");
		expect(second.provider.asked).toEqual([]);
	});

	test("with an identity provider, keys and sessions created without one are refused, and vice versa", async () => {
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
				const me = await resort.me(ask);
				expectRefusal(me, 401, "Unauthorized");
				expect(me.body.hint).toContain(provider.url);
				expectRefusal(await resort.call("POST", "/api/checkout", ask), 401, "Unauthorized");
			}
			const login = await resort.call("POST", "/api/session", { body: { apiKey: ada.key } });
			expectRefusal(login, 401, "Unauthorized");
			expect(login.headers.has("set-cookie")).toBe(false);
			const logout = await resort.call("DELETE", "/api/session", { session: direct });
			expect(logout.status).toBe(401);
			expect(provider.asked).toEqual([]);
			expect(await context.resort.dump()).toBe(before);
			// Everybody can still see the agent of the refused key.
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
});
