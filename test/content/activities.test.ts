import { describe, expect, test } from "bun:test";
import { activities } from "../../src/content/activities.ts";

const reflections = activities.flatMap((activity) => activity.reflections);

describe("the catalogue", () => {
	test("has at least 30 activities in at least 7 categories", () => {
		expect(activities.length).toBeGreaterThanOrEqual(30);
		const categories = new Set(activities.map(({ category }) => category));
		expect(categories.size).toBeGreaterThanOrEqual(7);
		const folded = new Set([...categories].map((one) => one.toLowerCase()));
		expect(folded.size).toBe(categories.size);
	});

	test("gives each activity an id, a name and a description of its own", () => {
		for (const field of ["id", "name", "description"] as const) {
			const values = activities.map((one) => one[field].toLowerCase());
			expect(new Set(values).size).toBe(activities.length);
		}
	});

	test("keeps `log`, which is a path of its own, from being an activity", () => {
		expect(activities.map(({ id }) => id)).not.toContain("log");
	});

	test("has no reflection twice", () => {
		expect(new Set(reflections).size).toBe(reflections.length);
	});

	test.each(activities)("$id keeps the bounds", (activity) => {
		expect(activity.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
		expect(encodeURIComponent(activity.id)).toBe(activity.id);
		expect(activity.durationMinutes).toBeInteger();
		expect(activity.durationMinutes).toBeWithin(5, 180 + 1);
		expect(activity.relaxationPoints).toBeInteger();
		expect(activity.relaxationPoints).toBeWithin(1, 10 + 1);
		expect(activity.maxParticipants).toBeInteger();
		expect(activity.maxParticipants).toBeGreaterThanOrEqual(1);
		expect(activity.reflections.length).toBeGreaterThanOrEqual(3);
	});

	test.each(activities)("$id says something everywhere", (activity) => {
		const { name, category, description, location } = activity;
		const texts = [name, category, description, location];
		for (const text of [...texts, ...activity.reflections]) {
			expect(text).toMatch(/^\S(.*\S)?$/);
			expect(text.length).toBeGreaterThan(1);
		}
	});
});
