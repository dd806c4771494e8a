import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import {
	expectBrokenBound,
	expectNext,
	expectRefusal,
	first,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import {
	brokenBodies,
	emptyBodies,
	largeBody,
	unstorable,
} from "../../support/bodies.ts";
import { textBounds } from "../../support/bounds.ts";
import type { Ask } from "../../support/resort.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const activity = first(activities);

const resort = useResort();
const ada = useGuest(resort);

const act = (ask: Ask = {}, id: string = activity.id) =>
	resort.ask("POST", `/api/activities/${id}/do`, { key: ada.key, ...ask });

async function log() {
	const { body } = await resort.ask("GET", "/api/activities/log", {
		key: ada.key,
	});
	return body.log;
}

describe("POST /api/activities/{id}/do", () => {
	test("answers the activity, its log entry, the total and a reflection", async () => {
		resort.advance(1234);
		const answer = await act({ body: { notes: "quiet" } });
		const { status, body } = answer;
		expect(status).toBe(201);
		expect(namesOf(body)).toBe(
			"activity log next ok reflection relaxationPoints toRested",
		);
		expect(body.ok).toBe(true);
		const { reflections, ...info } = activity;
		expect(body.activity).toEqual(info);
		expect(namesOf(body.log)).toBe("id notes startedAt");
		expect(body.log.id).toMatch(UUID_V7);
		expect(body.log.startedAt).toBe(iso(resort.nowMs));
		expect(body.log.notes).toBe("quiet");
		expect(body.relaxationPoints).toBe(activity.relaxationPoints);
		expect(body.toRested).toBe(18 - activity.relaxationPoints);
		expect(reflections).toContain(body.reflection);
		expectNext(answer);
	});

	test("takes the session too", async () => {
		const session = await resort.login(ada.key);
		const path = `/api/activities/${activity.id}/do`;
		expect((await resort.ask("POST", path, { session })).status).toBe(201);
	});

	test("adds up the points of every activity of the catalogue", async () => {
		let total = 0;
		for (const { reflections, ...info } of activities) {
			const { status, body } = await act({}, info.id);
			total += info.relaxationPoints;
			expect(status).toBe(201);
			expect(body.activity).toEqual(info);
			expect(body.relaxationPoints).toBe(total);
			expect(reflections).toContain(body.reflection);
		}
		const { body } = await resort.ask("GET", "/api/stays/current", {
			key: ada.key,
		});
		expect(body.stay.relaxationPoints).toBe(total);
	});

	test("tells more than one reflection in the long run", async () => {
		const told = new Set<string>();
		for (let turn = 0; turn < 60; turn++)
			told.add((await act()).body.reflection);
		expect(told.size).toBeGreaterThan(1);
	});

	test("does not wait for the suggested duration", async () => {
		expect((await act()).status).toBe(201);
		expect((await act()).body.relaxationPoints).toBe(
			2 * activity.relaxationPoints,
		);
	});

	test("begins at no points in the next stay", async () => {
		await act();
		await resort.ask("POST", "/api/checkout", { key: ada.key });
		await resort.ask("POST", "/api/checkin", { key: ada.key });
		const { body } = await act();
		expect(body.relaxationPoints).toBe(activity.relaxationPoints);
	});

	for (const id of [
		"none",
		activity.id.slice(1),
		`${activity.id}x`,
		"constructor",
		"__proto__",
		"log",
		"%00",
		"%20",
		"%zz",
		"a%2Fb",
		"a".repeat(2000),
	]) {
		test(`does not know ${id.slice(0, 40)}`, async () => {
			expectRefusal(await act({}, id), 404, "Activity not found");
			expect(await log()).toHaveLength(0);
		});
	}

	test("looks for the activity before the stay", async () => {
		await resort.ask("POST", "/api/checkout", { key: ada.key });
		expectRefusal(await act({}, "none"), 404, "Activity not found");
		expectRefusal(await act(), 400, "Not checked in");
		expect(await log()).toHaveLength(0);
	});

	test("judges the body before the activity", async () => {
		expectBrokenBound(await act({ body: { notes: 5 } }, "none"), "notes");
	});

	for (const { name, ask } of emptyBodies) {
		test(`takes ${name}`, async () => {
			const { status, body } = await act(ask);
			expect([status, body.log.notes]).toEqual([201, null]);
		});
	}

	for (const { name, ask } of brokenBodies) {
		test(`refuses ${name}`, async () => {
			const answer = await act(ask);
			expectRefusal(answer, 400, answer.body.error);
			expect(await log()).toHaveLength(0);
		});
	}

	test("refuses a body over 64 KiB", async () => {
		const answer = await act(largeBody);
		expectRefusal(answer, 413, answer.body.error);
		expect(await log()).toHaveLength(0);
	});

	test("takes notes of at most 500 characters", async () => {
		for (const { value, fits } of textBounds(0, 500)) {
			const answer = await act({ body: { notes: value } });
			if (fits) expect(answer.body.log.notes).toBe(value || null);
			else expectBrokenBound(answer, "notes");
		}
		const notes = ` ${"a".repeat(500)}\n`;
		expect((await act({ body: { notes } })).status).toBe(201);
	});

	test("refuses notes that are no text to store", async () => {
		for (const notes of [5, true, ["quiet"], {}, ...unstorable]) {
			expectBrokenBound(await act({ body: { notes } }), "notes");
		}
		expect(await log()).toHaveLength(0);
	});

	for (const [notes, kept] of [
		["  quiet\t", "quiet"],
		["", null],
		[" \n ", null],
		[null, null],
	] as const) {
		test(`keeps the notes ${JSON.stringify(notes)} as ${JSON.stringify(kept)}`, async () => {
			const { body } = await act({ body: { notes, points: 100 } });
			expect(body.log.notes).toBe(kept);
			expect((await log())[0]?.notes).toBe(kept);
			expect(body.relaxationPoints).toBe(activity.relaxationPoints);
		});
	}
});
