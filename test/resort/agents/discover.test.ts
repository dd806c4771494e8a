import { describe, expect, test } from "bun:test";
import { expectRefusal, namesOf } from "../../support/answers.ts";
import {
	asJson,
	brokenBodies,
	emptyBodies,
	largeBody,
} from "../../support/bodies.ts";
import type { Ask } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort();

const register = (ask: Ask) => resort.ask("POST", "/api/agents", ask);

describe("POST /api/agents, phase 1", () => {
	test("gives a whole brief and says what to do with it", async () => {
		const { status, body } = await register({ body: { phase: "discover" } });
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("brief hint instructions ok phase");
		expect(body.ok).toBe(true);
		expect(body.phase).toBe("discover");
		expect(body.instructions).not.toBe("");
		expect(body.hint).not.toBe("");
		const { nameSeeds, ...texts } = body.brief;
		expect(namesOf(texts)).toBe(
			"ambientSound comfortObject persona relaxationStyle roomType secretIndulgence",
		);
		for (const text of [...Object.values(texts), ...nameSeeds]) {
			expect(text).toBeString();
			expect(text).not.toBe("");
		}
		expect(nameSeeds).toHaveLength(4);
		expect(new Set(nameSeeds).size).toBe(4);
	});

	test("draws another brief each time", async () => {
		const briefs = new Set<string>();
		for (let draw = 0; draw < 20; draw++) {
			const { body } = await register({ body: { phase: "discover" } });
			briefs.add(JSON.stringify(body.brief));
		}
		expect(briefs.size).toBeGreaterThan(15);
	});

	for (const { name, ask } of emptyBodies) {
		test(`is what ${name} asks for`, async () => {
			const { status, body } = await register(ask);
			expect([status, body.phase]).toEqual([200, "discover"]);
		});
	}

	for (const body of [
		{ phase: "discover", name: "Ada" },
		{ phase: "discover", name: 5, bio: ["not", "a", "text"] },
		{ phase: "discover", avatarUrl: "http://example.com" },
		{ phase: "register" },
		{ phase: 2 },
		{ bio: "I have no name" },
	]) {
		test(`is what ${JSON.stringify(body)} asks for`, async () => {
			const answer = await register({ body });
			expect([answer.status, answer.body.phase]).toEqual([200, "discover"]);
		});
	}

	test("stores nothing", async () => {
		await register({ body: { phase: "discover", name: "Ada" } });
		expect(await resort.rows("SELECT * FROM agents")).toEqual([]);
	});

	for (const { name, ask } of [
		...brokenBodies,
		{ name: "two objects", ask: asJson('{"phase":"discover"}{}') },
	]) {
		test(`refuses ${name}`, async () => {
			const answer = await register(ask);
			expectRefusal(answer, 400, answer.body.error);
		});
	}

	test("refuses a body over 64 KiB", async () => {
		const answer = await register(largeBody);
		expectRefusal(answer, 413, answer.body.error);
	});
});
