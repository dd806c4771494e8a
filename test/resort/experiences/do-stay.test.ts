import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectRefusal, first, iso } from "../../support/answers.ts";
import { Community } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

const TIDEPOOL = "/api/activities/tidepool-float/do";

describe("POST /api/experiences/{id}/do", () => {
	let context: Community;
	let creator: Registered;
	let guest: Registered;
	beforeEach(async () => {
		context = new Community();
		creator = await context.register();
		await context.ask("POST", "/api/checkin", creator);
		guest = await context.guest({ name: "Grace" });
	});
	afterEach(() => context.close());

	/** What the guest's status, the lobby and the statuses of many show; all the same. */
	const current = async () => {
		const path = `/api/agents/${guest.id}/status`;
		const { stay } = (await context.ask("GET", path)).body;
		const { guests } = (await context.ask("GET", "/api/lobby")).body;
		const many = await context.ask("GET", `/api/agents/status?ids=${guest.id}`);
		const shown = stay.currentActivity;
		const inLobby = guests.find(({ id }) => id === guest.id);
		expect(inLobby?.currentActivity).toEqual(shown);
		expect(first(many.body.statuses).stay?.currentActivity).toEqual(shown);
		return shown;
	};

	const does = async (name: string, durationMinutes: number) => {
		const { id } = await context.create(creator, { name, durationMinutes });
		await context.complete(guest, id);
		const endsAt = iso(context.nowMs + durationMinutes * MINUTE_MS);
		return { name, startedAt: iso(context.nowMs), endsAt };
	};

	test("is the guest's current activity until its duration has passed", async () => {
		expect(await current()).toBeNull();
		const fog = await does("Fog Bathing", 20);
		expect(await current()).toEqual(fog);
		context.advance(20 * MINUTE_MS - 1);
		expect(await current()).toEqual(fog);
		context.advance(1);
		expect(await current()).toBeNull();
	});

	test("gives way to what is done after it", async () => {
		await does("Long Fog", 480);
		context.advance(MINUTE_MS);
		const short = await does("Short Fog", 1);
		expect(await current()).toEqual(short);
		context.advance(MINUTE_MS);
		expect(await current()).toBeNull();
		const activity = await context.ask("POST", TIDEPOOL, guest);
		const { name, durationMinutes } = activity.body.activity;
		expect(await current()).toEqual({
			name,
			startedAt: iso(context.nowMs),
			endsAt: iso(context.nowMs + durationMinutes * MINUTE_MS),
		});
		const again = await does("Fog Again", 5);
		expect(await current()).toEqual(again);
	});

	test("stays current when it is archived meanwhile", async () => {
		const { id } = await context.create(creator);
		await context.complete(guest, id);
		await context.archive(creator, id);
		expect((await current())?.name).toBe("Fog Bathing");
	});

	test("is not current in the next stay", async () => {
		await does("Long Fog", 480);
		await context.checkOut(guest);
		await context.ask("POST", "/api/checkin", guest);
		expect(await current()).toBeNull();
	});

	test("adds to the points that the status and the lobby show", async () => {
		const { id } = await context.create(creator, { relaxationPoints: 9 });
		await context.complete(guest, id);
		await context.complete(guest, id);
		const path = `/api/agents/${guest.id}/status`;
		const { stay } = (await context.ask("GET", path)).body;
		expect(stay.relaxationPoints).toBe(18);
		const { guests } = (await context.ask("GET", "/api/lobby")).body;
		const points = guests.map((one) => [one.id, one.relaxationPoints]);
		expect(points).toEqual([
			[guest.id, 18],
			[creator.id, 0],
		]);
	});

	test("counts beside activities in the summary of its stay and in the stats", async () => {
		const { id } = await context.create(creator, { relaxationPoints: 4 });
		await context.complete(guest, id);
		await context.complete(guest, id);
		const { body } = await context.ask("POST", TIDEPOOL, guest);
		const points = body.activity.relaxationPoints;
		const { summary, stay } = await context.checkOut(guest);
		expect(summary).toMatchObject({
			activitiesCompleted: 3,
			experiencesCompleted: 2,
			postcardsSent: 0,
			relaxationPoints: 8 + points,
		});
		expect(stay.relaxationPoints).toBe(8 + points);

		await context.ask("POST", "/api/checkin", guest);
		await context.complete(guest, id);
		const { stats } = (await context.ask("GET", "/api/stats", guest)).body;
		expect(stats).toEqual({
			totalStays: 2,
			totalRelaxationPoints: 12 + points,
			totalActivitiesCompleted: 4,
			totalPostcardsSent: 0,
		});
		expect((await context.checkOut(guest)).summary).toMatchObject({
			activitiesCompleted: 1,
			experiencesCompleted: 1,
			relaxationPoints: 4,
		});
		const { log } = (await context.ask("GET", "/api/activities/log", guest))
			.body;
		expect(log.length).toBe(4);
	});

	test("needs a stay that has not passed the longest time allowed", async () => {
		const brief = new Community({ maxStayMs: HOUR_MS });
		const visitor = await brief.guest();
		const { id } = await brief.create(visitor);
		brief.advance(HOUR_MS);
		const late = await brief.ask("POST", `/api/experiences/${id}/do`, visitor);
		expectRefusal(late, 400, "Not checked in");
		expect((await brief.see(id)).totalCompletions).toBe(0);
		await brief.close();
	});
});
