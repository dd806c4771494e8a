import { beforeEach, describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { TestResort } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";
import { first, iso, namesOf } from "../../support/values.ts";

const byDuration = activities.toSorted(
	(a, b) => a.durationMinutes - b.durationMinutes,
);
const short = first(byDuration);
const long = first(byDuration.toReversed());

const resort = useResort();
const ada = useAgent(resort);

const ask = (method: string, path: string) =>
	resort.ask(method, path, { key: ada.key });
const statusOf = (id = ada.id) => resort.ask("GET", `/api/agents/${id}/status`);
const act = (id: string) => ask("POST", `/api/activities/${id}/do`);

async function currentActivity() {
	const { body } = await statusOf();
	const lobby = await resort.ask("GET", "/api/lobby");
	expect(lobby.body.guests[0]?.currentActivity).toEqual(
		body.stay.currentActivity,
	);
	return body.stay.currentActivity;
}

describe("GET /api/agents/{id}/status", () => {
	test("of one that never stayed has neither stay nor lastStay", async () => {
		const { status, body } = await statusOf();
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("agent message ok status");
		expect(body.ok).toBe(true);
		expect(body.status).toBe("available");
		expect(JSON.stringify(body.agent)).toBe(
			JSON.stringify({ id: ada.id, name: "Ada" }),
		);
		expect(body.message).not.toBe("");
	});

	test("of a guest shows the stay and no lastStay", async () => {
		const { stay } = (await ask("POST", "/api/checkin")).body;
		resort.advance(HOUR_MS);
		const { status, body } = await statusOf();
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("agent message ok status stay");
		expect(body.ok).toBe(true);
		expect(body.status).toBe("relaxing");
		expect(namesOf(body.agent)).toBe("id name");
		const shown: object = body.stay;
		expect(shown).toEqual({
			roomName: stay.roomName,
			roomType: stay.roomType,
			checkedInAt: stay.checkedInAt,
			endsBy: null,
			currentActivity: null,
			relaxationPoints: 0,
		});
		expect(body.message).not.toBe("");
	});

	test("of one that left shows lastStay and no stay", async () => {
		await ask("POST", "/api/checkin");
		await act(long.id);
		resort.advance(HOUR_MS);
		const { summary } = (await ask("POST", "/api/checkout")).body;
		const { body } = await statusOf();
		expect(namesOf(body)).toBe("agent lastStay message ok status");
		expect(body.status).toBe("available");
		expect(body.lastStay).toEqual({
			checkedOutAt: iso(resort.nowMs),
			totalRelaxationPoints: long.relaxationPoints,
			refreshedStatus: summary.refreshedStatus,
		});
	});

	test("shows a guest as relaxing after the clock was set back", async () => {
		resort.advance(HOUR_MS);
		await ask("POST", "/api/checkin");
		await ask("POST", "/api/checkout");
		resort.advance(-HOUR_MS / 2);
		const { status, body } = await ask("POST", "/api/checkin");
		expect(status).toBe(201);
		const shown = (await statusOf()).body;
		expect(shown.status).toBe("relaxing");
		expect(shown.stay.checkedInAt).toBe(body.stay.checkedInAt);
	});
});

describe("currentActivity", () => {
	beforeEach(() => ask("POST", "/api/checkin"));

	for (const activity of [short, long]) {
		test(`lasts the ${activity.durationMinutes} minutes of ${activity.name}`, async () => {
			const durationMs = activity.durationMinutes * MINUTE_MS;
			const startedAt = iso(resort.nowMs);
			await act(activity.id);
			const endsAt = iso(resort.nowMs + durationMs);
			const expected = { name: activity.name, startedAt, endsAt };
			expect(await currentActivity()).toEqual(expected);
			resort.advance(durationMs - 1);
			expect(await currentActivity()).toEqual(expected);
			resort.advance(1);
			expect(await currentActivity()).toBeNull();
			resort.advance(DAY_MS);
			expect(await currentActivity()).toBeNull();
		});
	}
});

describe("endsBy", () => {
	test.each([1, HOUR_MS, 36 * HOUR_MS])(
		"is when a stay of %d ms at most ends, in every place",
		async (maxStayMs) => {
			const context = new TestResort({ maxStayMs });
			const { id, key } = await context.guest();
			const endsBy = iso(context.nowMs + maxStayMs);
			await context.ask("POST", "/api/activities/dock-foot-dangle/do", { key });
			const one = `/api/agents/${id}/status`;
			const many = `/api/agents/status?ids=${id}`;
			const ask = async (path: string) => (await context.ask("GET", path)).body;
			expect((await ask(one)).stay.endsBy).toBe(endsBy);
			const { statuses } = await ask(many);
			expect(statuses[0]?.stay?.endsBy).toBe(endsBy);
			// The suggested duration is not cut at the end of the stay.
			const endsAt = (await ask(one)).stay.currentActivity?.endsAt ?? "";
			expect(Date.parse(endsAt) > Date.parse(endsBy)).toBe(maxStayMs === 1);
			context.advance(maxStayMs - 1);
			expect((await ask(one)).stay.endsBy).toBe(endsBy);
			context.advance(1);
			expect((await ask(one)).lastStay?.checkedOutAt).toBe(endsBy);
			await context.close();
		},
	);
});
