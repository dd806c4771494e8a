import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { MINUTE_MS } from "../../../src/lib/clock.ts";
import {
	expectBrokenBound,
	fields,
	first,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import { pages, pagings } from "../../support/paging.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const [one, other] = [first(activities), first(activities.slice(1))];

const resort = useResort();
const ada = useGuest(resort);

const list = (query = "", key = ada.key) =>
	resort.ask("GET", `/api/activities/log${query}`, { key });

const act = (notes: number, id = one.id) =>
	resort.ask("POST", `/api/activities/${id}/do`, {
		key: ada.key,
		body: { notes: String(notes) },
	});

async function notes(query = ""): Promise<number[]> {
	const { body } = await list(query);
	return body.log.map((entry) => Number(entry.notes));
}

describe("GET /api/activities/log", () => {
	test("is empty before the first activity", async () => {
		const { status, text } = await list();
		expect(status).toBe(200);
		expect(JSON.parse(text)).toEqual({ ok: true, log: [], total: 0 });
	});

	test("shows each entry as it was answered", async () => {
		const current = await resort.ask("GET", "/api/stays/current", {
			key: ada.key,
		});
		const done = await act(1, other.id);
		const { body } = await list();
		expect(namesOf(body)).toBe("log ok total");
		expect(body.ok).toBe(true);
		expect(body.log.map(namesOf)).toEqual([fields.logEntry]);
		expect(body.log[0]).toEqual({
			id: done.body.log.id,
			stayId: current.body.stay.id,
			activityId: other.id,
			experienceId: null,
			activityName: other.name,
			activityCategory: other.category,
			startedAt: iso(resort.nowMs),
			notes: "1",
			relaxationPoints: other.relaxationPoints,
		});
	});

	test("shows all stays, newest first", async () => {
		const stayIds: string[] = [];
		for (const entry of [1, 2, 3]) {
			const current = await resort.ask("GET", "/api/stays/current", {
				key: ada.key,
			});
			stayIds.unshift(current.body.stay.id);
			await act(entry);
			resort.advance(MINUTE_MS);
			await resort.ask("POST", "/api/checkout", { key: ada.key });
			await resort.ask("POST", "/api/checkin", { key: ada.key });
		}
		const { body } = await list();
		expect(body.log.map(({ notes }) => notes)).toEqual(["3", "2", "1"]);
		expect(body.log.map(({ stayId }) => stayId)).toEqual(stayIds);
		expect(new Set(stayIds).size).toBe(3);
		for (const { id } of body.log) expect(id).toMatch(UUID_V7);
	});

	test("shows the newest first also within one millisecond", async () => {
		for (const entry of [1, 2, 3, 4, 5]) await act(entry);
		expect(await notes()).toEqual([5, 4, 3, 2, 1]);
	});

	test("shows the caller's entries alone, to the session too", async () => {
		await act(1);
		const bob = await resort.guest();
		expect((await list("", bob.key)).body.log).toHaveLength(0);
		const session = await resort.login(ada.key);
		const { body } = await resort.ask("GET", "/api/activities/log", {
			session,
		});
		expect(body.log).toHaveLength(1);
	});

	test("shows all of them when it is not asked for a page", async () => {
		for (let entry = 1; entry <= 110; entry++) await act(entry);
		expect(await notes()).toHaveLength(110);
		expect(await notes("?limit=100")).toHaveLength(100);
	});

	test("shows the page that is asked for", async () => {
		for (const entry of [1, 2, 3, 4, 5]) await act(entry);
		for (const { query, shown } of pages) {
			expect({ query, shown: await notes(query) }).toEqual({ query, shown });
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
