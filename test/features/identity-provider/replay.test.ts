/** A signed call is accepted once, also after a restart and after an outage of the database. */
import { expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { onPostgres } from "../../support/engine.ts";
import { LastingDatabase } from "../../support/lasting.ts";
import { House } from "./house.ts";

test("a signed call cannot be repeated after a restart", async () => {
	await using database = new LastingDatabase();
	const first = new House({ database });
	const [used, unused] = [1, 2].map(() => first.proxied("GET", "/api/me", "getMe"));
	expect((await first.resort.me(used ?? {})).status).toBe(200);
	await first[Symbol.asyncDispose]();
	await using second = new House({ database });
	const statuses: number[] = [];
	for (const call of [used, unused, unused]) statuses.push((await second.resort.me(call ?? {})).status);
	expect(statuses).toEqual([401, 200, 401]);
});

test("a signed call whose nonce cannot be stored returns 503, and is accepted later", async () => {
	await using context = new House();
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
