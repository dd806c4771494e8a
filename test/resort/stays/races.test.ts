import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { expectRefusal, first } from "../../support/answers.ts";
import type { Answered } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const ask = (method: string, path: string) =>
	resort.ask(method, path, { key: ada.key });

function atOnce(count: number, call: () => Promise<Answered>) {
	return Promise.all(Array.from({ length: count }, call));
}

const statusesOf = (answers: readonly Answered[]) =>
	answers.map(({ status }) => status).sort();

describe("eight calls at once", () => {
	test("check an agent in once", async () => {
		const answers = await atOnce(8, () => ask("POST", "/api/checkin"));
		expect(statusesOf(answers)).toEqual([201, ...Array<number>(7).fill(400)]);
		for (const answer of answers) {
			if (answer.status === 201) continue;
			expectRefusal(answer, 400, "Already checked in");
		}
		expect((await ask("GET", "/api/stays")).body.stays).toHaveLength(1);
		expect((await ask("GET", "/api/lobby")).body.guests).toHaveLength(1);
	});

	test("check an agent out once", async () => {
		await ask("POST", "/api/checkin");
		const answers = await atOnce(8, () => ask("POST", "/api/checkout"));
		expect(statusesOf(answers)).toEqual([200, ...Array<number>(7).fill(400)]);
		for (const answer of answers) {
			if (answer.status === 200) continue;
			expectRefusal(answer, 400, "Not checked in");
		}
		expect((await ask("GET", "/api/lobby")).body.guests).toEqual([]);
	});

	test("register eight agents", async () => {
		const agents = await Promise.all(
			Array.from({ length: 8 }, () => resort.register()),
		);
		expect(new Set(agents.map(({ id }) => id)).size).toBe(8);
		expect(new Set(agents.map(({ key }) => key)).size).toBe(8);
	});
});

describe("twenty activities at once", () => {
	test("add up exactly, and each sees its own total", async () => {
		await ask("POST", "/api/checkin");
		const { id, relaxationPoints: points } = first(activities);
		const answers = await atOnce(20, () =>
			ask("POST", `/api/activities/${id}/do`),
		);
		expect(statusesOf(answers)).toEqual(Array<number>(20).fill(201));
		const totals = answers.map(({ body }) => body.relaxationPoints);
		const expected = Array.from({ length: 20 }, (_, at) => points * (at + 1));
		expect(totals.toSorted((a, b) => a - b)).toEqual(expected);
		expect((await ask("GET", "/api/activities/log")).body.log).toHaveLength(20);
		const { body } = await ask("POST", "/api/checkout");
		expect(body.summary).toMatchObject({
			activitiesCompleted: 20,
			relaxationPoints: 20 * points,
		});
	});

	test("racing a check-out count in its summary or not at all", async () => {
		await ask("POST", "/api/checkin");
		const { id, relaxationPoints: points } = first(activities);
		const act = () => ask("POST", `/api/activities/${id}/do`);
		const [before, out, after] = await Promise.all([
			atOnce(10, act),
			ask("POST", "/api/checkout"),
			atOnce(10, act),
		]);
		expect(out.status).toBe(200);
		const answers = [...before, ...after];
		const done = answers.filter(({ status }) => status === 201).length;
		for (const answer of answers) {
			if (answer.status === 201) continue;
			expectRefusal(answer, 400, "Not checked in");
		}
		expect(out.body.summary).toMatchObject({
			activitiesCompleted: done,
			relaxationPoints: done * points,
		});
		const { log } = (await ask("GET", "/api/activities/log")).body;
		expect(log).toHaveLength(done);
		const { stats } = (await ask("GET", "/api/stats")).body;
		expect(stats.totalRelaxationPoints).toBe(done * points);
	});
});

describe("a deactivation", () => {
	const rivals: [name: string, rival: () => Promise<Answered>][] = [
		["check-in", () => ask("POST", "/api/checkin")],
		[
			"login",
			() => resort.ask("POST", "/api/session", { body: { apiKey: ada.key } }),
		],
		["rotation", () => ask("POST", "/api/me/api-key")],
		[
			"change of the profile",
			() =>
				resort.ask("PATCH", "/api/me", {
					key: ada.key,
					body: { name: "Bea" },
				}),
		],
	];
	for (const [name, rival] of rivals) {
		for (const order of ["before", "after"]) {
			test(`that comes ${order} a ${name} leaves nothing of it`, async () => {
				const leave = () => ask("DELETE", "/api/me");
				const [left, other] =
					order === "before"
						? await Promise.all([leave(), rival()])
						: (await Promise.all([rival(), leave()])).toReversed();
				if (left?.status !== 200 && name === "rotation") {
					// The rotation stopped the key that wanted to leave.
					expect([left?.status, other?.status]).toEqual([401, 201]);
					return;
				}
				expect(left?.status).toBe(200);
				expect([200, 201, 401]).toContain(other?.status ?? 0);
				const status = await ask("GET", `/api/agents/${ada.id}/status`);
				expectRefusal(status, 404, "Agent not found");
				const { body } = await ask("GET", "/api/lobby");
				expect([body.guests, body.totalGuestsToday]).toEqual([[], 0]);
				const session = other?.headers
					.getSetCookie()[0]
					?.match(/=([^;]+)/)?.[1];
				const key = other?.body.apiKey;
				for (const credential of [
					{ key: ada.key },
					{ key: key ?? "none" },
					{ session: session ?? "none" },
				]) {
					const me = await resort.ask("GET", "/api/me", credential);
					expectRefusal(me, 401, "Unauthorized");
				}
			});
		}
	}
});
