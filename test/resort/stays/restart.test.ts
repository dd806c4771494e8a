import { beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import type { Registered } from "../../support/resort.ts";
import { useRestartable } from "../../support/use-resort.ts";

const TIDEPOOL = "/api/activities/tidepool-float/do";

const { resort, restart } = useRestartable();
let ada: Registered;
let session: string;

beforeEach(async () => {
	ada = await resort.register({ bio: "Counts clouds.", interests: ["moss"] });
	session = await resort.login(ada.key);
});

const ask = (method: string, path: string, body?: object) =>
	resort.ask(method, path, { key: ada.key, body });

const reads = () =>
	Promise.all(
		[
			...["/api/me", "/api/stays", "/api/stays/current", "/api/stats"],
			...["/api/activities/log", `/api/agents/${ada.id}`],
			...[`/api/agents/${ada.id}/status`, "/api/lobby"],
		].map(async (path) => {
			const { status, body } = await ask("GET", path);
			return { ...body, status, ambiance: "" };
		}),
	);

describe("a restart on the same database", () => {
	test("keeps profile, stays, log and lobby, and the rules of the open stay", async () => {
		await ask("POST", "/api/checkin", { moodOnArrival: "frayed" });
		await ask("POST", TIDEPOOL, { notes: "quiet" });
		await ask("POST", "/api/checkout", { moodOnDeparture: "mended" });
		resort.advance(MINUTE_MS);
		const checkIn = await ask("POST", "/api/checkin");
		await ask("POST", TIDEPOOL);
		const before = await reads();
		await restart();
		expect(await reads()).toEqual(before);
		for (const answer of before) {
			expect(answer).toMatchObject({ status: 200, ok: true });
		}
		const again = await ask("POST", "/api/checkin");
		expectRefusal(again, 400, "Already checked in");
		const { body } = await ask("POST", "/api/checkout");
		expect(body.stay.id).toBe(checkIn.body.stay.id);
		expect((await ask("POST", "/api/checkin")).status).toBe(201);
	});

	test("keeps credentials, and those that were ended ended", async () => {
		const { key } = await resort.register();
		const kept = [{ key }, { session: await resort.login(key) }];
		const bob = await resort.register();
		await resort.ask("DELETE", "/api/me", bob);
		const late = await resort.login(key);
		await resort.ask("DELETE", "/api/session", { session: late });
		await ask("POST", "/api/me/api-key");
		await restart();
		for (const credential of kept) {
			const me = await resort.me(credential);
			expect(me.status).toBe(200);
		}
		for (const credential of [ada, { session }, { session: late }, bob]) {
			const me = await resort.me(credential);
			expectRefusal(me, 401, "Unauthorized");
		}
		const profile = await resort.ask("GET", `/api/agents/${bob.id}`);
		expectRefusal(profile, 404, "Agent not found");
	});
});
