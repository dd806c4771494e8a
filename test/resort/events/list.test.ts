import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, toTimestamp } from "../../../src/lib/clock.ts";
import type { EventsAnswer } from "../../../src/resort/events/model.ts";
import { deleteOldEvents } from "../../../src/resort/events/publish.ts";
import { useCommunity } from "../../support/use-resort.ts";
import { eventsOf, typesOf } from "./reading.ts";

const resort = useCommunity({ maxStayMs: 12 * HOUR_MS });
const events = eventsOf(resort);
/** The newest id at the beginning: a database may have been used before. */
let start: number;
beforeEach(async () => {
	start = Number((await events()).cursor);
});

/** An id, counted from the beginning of the test. */
const nth = (place: number) => String(start + place);

const placesOf = ({ events: list }: EventsAnswer) =>
	list.map(({ id }) => Number(id) - start);

describe("GET /api/events", () => {
	test("without `since` returns no events, only the cursor", async () => {
		expect(await events()).toEqual({
			ok: true,
			events: [],
			cursor: nth(0),
			reset: false,
		} as EventsAnswer);
		await resort.guest();
		expect(await events()).toMatchObject({ events: [], cursor: nth(1) });
	});

	test("returns each type with its fields, in order, and only to those who may see it", async () => {
		const ada = await resort.register();
		const bob = await resort.register({ name: "Bob" });
		const at = () => toTimestamp(resort.nowMs);
		const startedAt = at();
		const { stay } = await resort.checkIn(ada);
		resort.advance(1_000);
		await resort.checkIn(bob);
		const { id: fog } = await resort.create(ada);
		resort.advance(1_000);
		const didAt = at();
		await resort.complete(bob, fog, { notes: "mine alone" });
		await resort.post(bob, "/api/activities/tidepool-float/do", {
			notes: "mine",
		});
		await resort.vote(bob, fog, 4, "soft");
		resort.advance(1_000);
		const postcard = await resort.send(bob, { message: "hi" });
		await resort.send(bob, { message: "psst", recipientId: ada.id });
		await resort.ask("DELETE", `/api/experiences/${fog}`, { key: ada.key });
		const left = await resort.checkOut(ada);
		await resort.ask("DELETE", "/api/me", { key: bob.key });

		const answer = await events(`?since=${start}`);
		const { senderName, recipientId, recipientName, ...shown } = postcard;
		expect([senderName, recipientId, recipientName]).toEqual([
			"Bob",
			null,
			null,
		]);
		const gone = { id: bob.id, name: null };
		const adaNow = { id: ada.id, name: "Ada" };
		expect(answer).toEqual({
			ok: true,
			events: [
				{
					type: "agent.relaxing",
					at: startedAt,
					agent: adaNow,
					stay: {
						roomName: stay.roomName,
						roomType: stay.roomType,
						checkedInAt: stay.checkedInAt,
					},
				},
				{ type: "agent.relaxing", agent: gone },
				{
					type: "experience.created",
					agent: adaNow,
					experience: { id: fog, name: "Fog Bathing", category: "water" },
				},
				{
					type: "agent.did",
					at: didAt,
					agent: gone,
					name: "Fog Bathing",
					category: "water",
					relaxationPoints: 3,
					activityId: null,
					experienceId: fog,
				},
				{
					type: "agent.did",
					agent: gone,
					name: "Tidepool Float",
					category: "water",
					relaxationPoints: 4,
					activityId: "tidepool-float",
					experienceId: null,
				},
				{
					type: "experience.rated",
					agent: gone,
					experience: { id: fog, name: "Fog Bathing" },
					rating: 4,
				},
				{
					type: "postcard.sent",
					agent: gone,
					postcard: { ...shown, senderName: null },
				},
				{
					type: "experience.archived",
					agent: adaNow,
					experience: { id: fog, name: "Fog Bathing", category: "water" },
				},
				{
					type: "agent.available",
					agent: adaNow,
					reason: "checked_out",
					lastStay: {
						checkedOutAt: left.stay.checkedOutAt,
						totalRelaxationPoints: left.stay.relaxationPoints,
						refreshedStatus: left.summary.refreshedStatus,
					},
				},
				{ type: "agent.gone", agent: gone },
			].map((event) => {
				const { type, at: moment, agent, ...fields } = event;
				// A stay's room of an agent whose answer was not looked at is not compared.
				const isLoose = type === "agent.relaxing" && agent === gone;
				return {
					id: expect.any(String),
					type,
					at: moment ?? expect.any(String),
					agent,
					...(isLoose ? { stay: expect.any(Object) } : fields),
				};
			}),
			cursor: nth(11),
			reset: false,
		} as unknown as EventsAnswer);
		// One of them was private.
		expect(placesOf(answer)).toEqual([1, 2, 3, 4, 5, 6, 7, 9, 10, 11]);
		expect(JSON.stringify(answer)).not.toContain("mine");
	});

	test("filters by types and agents; the cursor passes over what does not fit", async () => {
		const ada = await resort.guest();
		const bob = await resort.guest({ name: "Bob" });
		await resort.checkOut(ada);
		await resort.checkOut(bob);
		const all = await events(`?since=${start}&types=agent.available`);
		expect(typesOf(all)).toEqual(["agent.available", "agent.available"]);
		const of = await events(
			`?since=${start}&ids=${ada.id.toUpperCase()}&types=agent.available,agent.relaxing`,
		);
		expect(of.events.map(({ agent }) => agent.id)).toEqual([ada.id, ada.id]);
		expect(of.cursor).toBe(nth(4));
		for (const ids of ["nobody", "", ","]) {
			const none = await events(`?since=${start}&ids=${ids}`);
			expect(none).toMatchObject({ events: [], cursor: nth(4) });
		}
	});

	test.each([
		["since", "-1"],
		["since", "1.5"],
		["since", "x"],
		["since", "1234567890123456"],
		["types", "agent.relaxing,agent.sleeping"],
		["types", ""],
		["ids", Array(101).fill("a").join()],
		["limit", "0"],
		["limit", "101"],
	])("refuses %s=%s", async (field, value) => {
		const { status, body } = await resort.ask(
			"GET",
			`/api/events?${field}=${value}`,
		);
		expect(status).toBe(400);
		expect(body.field).toBe(field);
	});

	test("takes 100 ids and 100 events", async () => {
		const ids = Array(100).fill("a").join();
		expect(await events(`?since=${start}&limit=100&ids=${ids}`)).toMatchObject({
			events: [],
		});
	});

	test("`reset` is true when events were forgotten, and beyond the newest", async () => {
		await resort.guest();
		await resort.guest();
		expect(await events(`?since=${nth(3)}`)).toEqual({
			ok: true,
			events: [],
			cursor: nth(2),
			reset: true,
		} as EventsAnswer);
		expect(await events(`?since=${nth(2)}`)).toMatchObject({ reset: false });
		resort.advance(8 * DAY_MS);
		await resort.context.store.write(() =>
			deleteOldEvents(resort.context, 7 * DAY_MS),
		);
		expect(await events(`?since=${nth(1)}`)).toMatchObject({
			events: [],
			cursor: nth(2),
			reset: true,
		});
		expect(await events(`?since=${nth(2)}`)).toMatchObject({ reset: false });
		await resort.guest();
		// None is missing after the second one.
		expect(
			(await events(`?since=${nth(2)}`)).events.map(({ id }) => id),
		).toEqual([nth(3)]);
	});
});

describe("GET /api/me/events", () => {
	test("returns the caller's own, what was sent to it, and what others did with its experiences", async () => {
		const ada = await resort.guest();
		const bob = await resort.guest({ name: "Bob" });
		const eve = await resort.guest({ name: "Eve" });
		const { id: fog } = await resort.create(ada);
		await resort.complete(bob, fog);
		await resort.vote(bob, fog, 2);
		await resort.post(bob, "/api/activities/tidepool-float/do");
		await resort.send(bob, { message: "psst", recipientId: ada.id });
		await resort.send(eve, { message: "all" });
		const own = await events(`?since=${start}`, ada);
		expect(typesOf(own)).toEqual([
			"agent.relaxing",
			"experience.created",
			"agent.did",
			"experience.rated",
			"postcard.received",
		]);
		expect(own.events.at(-1)).toMatchObject({
			agent: { id: bob.id, name: "Bob" },
			postcard: {
				message: "psst",
				senderName: "Bob",
				senderId: bob.id,
				visibility: "private",
			},
		});
		// Nobody else hears of the postcard, its sender neither.
		expect(typesOf(await events(`?since=${start}`, bob))).toEqual([
			"agent.relaxing",
			"agent.did",
			"experience.rated",
			"agent.did",
		]);
		expect(typesOf(await events(`?since=${start}`, eve))).toEqual([
			"agent.relaxing",
			"postcard.sent",
		]);
	});
});
