import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";
import { first, namesOf } from "../../support/values.ts";

const one = first(activities);

const resort = useResort();
const ada = useAgent(resort);

const post = (path: string, key = ada.key) => resort.ask("POST", path, { key });
const act = (id: string) => post(`/api/activities/${id}/do`);

async function stats(key = ada.key) {
	const { status, body } = await resort.ask("GET", "/api/stats", { key });
	expect([status, body.ok, namesOf(body)]).toEqual([200, true, "ok stats"]);
	return body.stats;
}

const nothing = {
	totalStays: 0,
	totalRelaxationPoints: 0,
	totalActivitiesCompleted: 0,
	totalPostcardsSent: 0,
};

describe("GET /api/stats", () => {
	test("is nothing but zeros before the first stay", async () => {
		expect(await stats()).toEqual(nothing);
	});

	test("counts the open stay as it grows", async () => {
		await post("/api/checkin");
		expect(await stats()).toEqual({ ...nothing, totalStays: 1 });
		await act(one.id);
		expect(await stats()).toEqual({
			...nothing,
			totalStays: 1,
			totalRelaxationPoints: one.relaxationPoints,
			totalActivitiesCompleted: 1,
		});
		const open = await stats();
		await post("/api/checkout");
		expect(await stats()).toEqual(open);
	});
});
