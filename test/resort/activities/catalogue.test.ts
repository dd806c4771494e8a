import { describe, expect, test } from "bun:test";
import { fields, namesOf } from "../../support/answers.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort();

const catalogue = (query = "") => resort.ask("GET", `/api/activities${query}`);

describe("GET /api/activities", () => {
	test("shows the catalogue to everyone, with the contract's fields alone", async () => {
		const { status, body, text } = await catalogue();
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("activities ok");
		expect(body.ok).toBe(true);
		expect(body.activities).not.toBeEmpty();
		for (const activity of body.activities) {
			expect(namesOf(activity)).toBe(fields.activity);
			const { durationMinutes, relaxationPoints, maxParticipants, ...texts } =
				activity;
			for (const count of [
				durationMinutes,
				relaxationPoints,
				maxParticipants,
			]) {
				expect(count).toBeInteger();
				expect(count).toBeGreaterThan(0);
			}
			for (const text of Object.values(texts)) expect(text.trim()).not.toBe("");
		}
		expect(text).not.toContain("reflection");
	});

	test("gives each activity a code that a path can hold", async () => {
		const { body } = await catalogue();
		const ids = body.activities.map(({ id }) => id);
		expect(new Set(ids).size).toBe(ids.length);
		for (const id of ids) expect(encodeURIComponent(id)).toBe(id);
	});

	test("is always whole and in its own order", async () => {
		const { body } = await catalogue();
		for (const query of ["", "?limit=1", "?offset=5", "?limit=0&page=x"]) {
			expect((await catalogue(query)).body).toEqual(body);
		}
	});
});
