import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/lib/clock.ts";
import {
	expectBrokenBound,
	fields,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import { pages, pagings } from "../../support/paging.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const list = (query = "", key = ada.key) =>
	resort.ask("GET", `/api/stays${query}`, { key });

/** Stays once for each mood, and does not leave the last time. */
async function stay(moods: number[], lengthMs: number): Promise<void> {
	for (const mood of moods) {
		await resort.ask("POST", "/api/checkout", { key: ada.key });
		resort.advance(lengthMs);
		const body = { moodOnArrival: String(mood) };
		await resort.ask("POST", "/api/checkin", { key: ada.key, body });
		resort.advance(lengthMs);
	}
}

async function moods(query = ""): Promise<number[]> {
	const { body } = await list(query);
	return body.stays.map(({ moodOnArrival }) => Number(moodOnArrival));
}

describe("GET /api/stays", () => {
	test("is empty before the first stay", async () => {
		const { status, body } = await list();
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("ok stays total");
		expect(body).toEqual({
			ok: true,
			stays: [],
			total: 0,
		} as unknown as typeof body);
	});

	test("shows open and closed stays, newest first", async () => {
		const startMs = resort.nowMs;
		await stay([1, 2], HOUR_MS);
		const { body } = await list();
		const shown = body.stays.map(({ id, roomName, roomType, ...rest }) => {
			expect(id).toMatch(UUID_V7);
			expect(roomName).toStartWith(`${roomType} `);
			return rest;
		});
		const common = { relaxationPoints: 0, moodOnDeparture: null };
		expect(shown).toEqual([
			{
				...common,
				checkedInAt: iso(startMs + 3 * HOUR_MS),
				checkedOutAt: null,
				moodOnArrival: "2",
				status: "checked_in",
			},
			{
				...common,
				checkedInAt: iso(startMs + HOUR_MS),
				checkedOutAt: iso(startMs + 2 * HOUR_MS),
				moodOnArrival: "1",
				status: "checked_out",
			},
		]);
		for (const one of body.stays) expect(namesOf(one)).toBe(fields.stay);
	});

	test("shows the newest first also within one millisecond", async () => {
		await stay([1, 2, 3, 4, 5], 0);
		expect(await moods()).toEqual([5, 4, 3, 2, 1]);
	});

	test("shows the caller's stays alone, to the session too", async () => {
		await stay([1], HOUR_MS);
		const bob = await resort.guest();
		expect((await list("", bob.key)).body.stays).toHaveLength(1);
		const session = await resort.login(ada.key);
		const { body } = await resort.ask("GET", "/api/stays", { session });
		expect(body.stays.map((one) => one.moodOnArrival)).toEqual(["1"]);
	});

	test("shows all of them when it is not asked for a page", async () => {
		const all = Array.from({ length: 120 }, (_, at) => at + 1);
		await stay(all, 1);
		expect(await moods()).toEqual(all.toReversed());
		expect(await moods("?limit=100")).toHaveLength(100);
		expect(await moods("?offset=100")).toHaveLength(20);
	});

	test("shows the page that is asked for", async () => {
		await stay([1, 2, 3, 4, 5], HOUR_MS);
		for (const { query, shown } of pages) {
			expect({ query, shown: await moods(query) }).toEqual({ query, shown });
		}
	});

	for (const { query, fits } of pagings) {
		test(`${fits ? "takes" : "refuses"} ${query}`, async () => {
			const answer = await list(`?${query}`);
			if (fits) expect(answer.status).toBe(200);
			else expectBrokenBound(answer, query.slice(0, 6).replace(/\W.*/, ""));
		});
	}
});
