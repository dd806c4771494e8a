import { expect, test } from "bun:test";
import { activities } from "../../../../src/content/activities.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";
import { first } from "../../../support/values.ts";

const resort = useResort();
const ada = useGuest(resort);

test("GET /api/activities returns all activities without their reflections", async () => {
	const { body } = await resort.call("GET", "/api/activities");
	expect<unknown>(body.activities).toEqual(activities.map(({ reflections: _, ...info }) => info));
});

test("POST /api/activities/{id}/do returns a random reflection of the activity", async () => {
	const { id, reflections, ...info } = first(activities);
	const drawn = new Set<string>();
	for (let time = 0; time < 60; time++) {
		const body = await resort.send("POST", `/api/activities/${id}/do`, { key: ada.key });
		expect(body.activity).toEqual({ id, ...info });
		expect(reflections).toContain(body.reflection);
		drawn.add(body.reflection);
	}
	expect(drawn.size).toBeGreaterThan(1);
});
