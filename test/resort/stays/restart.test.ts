import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectRefusal, first } from "../../support/answers.ts";
import { LastingDatabase } from "../../support/lasting.ts";
import { type Registered, TestResort } from "../../support/resort.ts";

let database: LastingDatabase;
let resort: TestResort;
let ada: Registered;
let session: string;

beforeEach(async () => {
	database = new LastingDatabase();
	resort = new TestResort({ database });
	ada = await resort.register({ bio: "Counts clouds.", interests: ["moss"] });
	session = await resort.login(ada.key);
});
afterEach(async () => {
	await resort.close();
	await database[Symbol.asyncDispose]();
});

const ask = (method: string, path: string, body?: object) =>
	resort.ask(method, path, { key: ada.key, body });

/** Closes the resort and opens it again on the same database. */
async function restart(setup: { maxStayMs?: number } = {}): Promise<void> {
	const { nowMs } = resort;
	await resort.close();
	resort = new TestResort({ ...setup, database, nowMs });
}

async function reads(): Promise<unknown[]> {
	const paths = [
		"/api/me",
		"/api/stays",
		"/api/stays/current",
		"/api/activities/log",
		"/api/stats",
		`/api/agents/${ada.id}`,
		`/api/agents/${ada.id}/status`,
	];
	const answers = await Promise.all(paths.map((path) => ask("GET", path)));
	const { body } = await ask("GET", "/api/lobby");
	return [
		...answers.map(({ status, body }) => ({ status, body })),
		body.guests,
		body.totalGuestsToday,
	];
}

describe("a restart on the same database", () => {
	test("keeps profile, stays, log and lobby", async () => {
		const { id } = first(activities);
		await ask("POST", "/api/checkin", { moodOnArrival: "frayed" });
		await ask("POST", `/api/activities/${id}/do`, { notes: "quiet" });
		await ask("POST", "/api/checkout", { moodOnDeparture: "mended" });
		resort.advance(MINUTE_MS);
		await ask("POST", "/api/checkin");
		await ask("POST", `/api/activities/${id}/do`);
		const before = await reads();
		await restart();
		expect(await reads()).toEqual(before);
		expect(before.slice(0, 7)).toMatchObject(
			Array<object>(7).fill({ status: 200, body: { ok: true } }),
		);
	});

	test("keeps key and session", async () => {
		await restart();
		for (const credential of [{ key: ada.key }, { session }]) {
			const me = await resort.ask("GET", "/api/me", credential);
			expect(me.status).toBe(200);
			expect(me.body.agent.id).toBe(ada.id);
		}
	});

	test("keeps the rules of the stay that goes on", async () => {
		const checkIn = await ask("POST", "/api/checkin");
		await restart();
		const again = await ask("POST", "/api/checkin");
		expectRefusal(again, 400, "Already checked in");
		const { status, body } = await ask("POST", "/api/checkout");
		expect(status).toBe(200);
		expect(body.stay.id).toBe(checkIn.body.stay.id);
		expect((await ask("POST", "/api/checkin")).status).toBe(201);
	});

	test("keeps what was ended ended", async () => {
		const { body } = await ask("POST", "/api/me/api-key");
		const bob = await resort.register();
		await resort.ask("DELETE", "/api/me", { key: bob.key });
		const late = await resort.login(body.apiKey);
		await resort.ask("DELETE", "/api/session", { session: late });
		await restart();
		for (const credential of [
			{ key: ada.key },
			{ session },
			{ session: late },
			{ key: bob.key },
		]) {
			const me = await resort.ask("GET", "/api/me", credential);
			expectRefusal(me, 401, "Unauthorized");
		}
		const status = await resort.ask("GET", `/api/agents/${bob.id}`);
		expectRefusal(status, 404, "Agent not found");
		const me = await resort.ask("GET", "/api/me", { key: body.apiKey });
		expect(me.status).toBe(200);
	});

	test("with a longest stay closes what is overdue in every read", async () => {
		await ask("POST", "/api/checkin");
		resort.advance(2 * HOUR_MS);
		await restart({ maxStayMs: HOUR_MS });
		const { body } = await ask("GET", `/api/agents/${ada.id}/status`);
		expect(body.status).toBe("available");
		expect((await ask("GET", "/api/lobby")).body.guests).toEqual([]);
	});
});
