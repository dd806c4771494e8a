import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import { expectBrokenBound } from "../../../support/answers.ts";
import { useAgent, useGuest, useResort } from "../../../support/use-resort.ts";
import { iso } from "../../../support/values.ts";

const unknown = "018f0000-0000-7000-8000-000000000000";

const resort = useResort();
const ada = useAgent(resort);
const bob = useGuest(resort);

const statuses = (ids: readonly string[] | string) =>
	resort.call("GET", `/api/agents/status?ids=${String(ids)}`);

test("an agent that checks in again is relaxing, even if the clock has been set back past its check-out", async () => {
	await resort.call("POST", "/api/checkout", bob);
	resort.advance(-HOUR_MS);
	await resort.call("POST", "/api/checkin", bob);
	const { body } = await resort.call("GET", `/api/agents/${bob.id}/status`);
	expect(body.status).toBe("relaxing");
	expect(body.stay.checkedInAt).toBe(iso(resort.nowMs));
});

describe("GET /api/agents/status", () => {
	test("lists each malformed entry of `ids` once in `unknown`, in the order of the request", async () => {
		const { body } = await statuses(["bob", "%00", " Bob ", "%zz", ada.id, ada.id.slice(1), "bob"]);
		expect(body.statuses.map(({ agent }) => agent.name)).toEqual(["Ada"]);
		expect(body.unknown).toEqual(["bob", "", "%zz", ada.id.slice(1)]);
	});

	test("truncates entries of `unknown` to 64 characters, and then removes duplicates", async () => {
		const repeated = (length: number) => ["n", "🌴"].map((character) => character.repeat(length));
		const given = [63, 64, 65].flatMap(repeated);
		const { body } = await statuses(given.map(encodeURIComponent));
		expect(body.unknown).toEqual([63, 64].flatMap(repeated));
	});

	test("refuses `ids` with only empty entries", async () => {
		expectBrokenBound(await statuses(",&ids=,"), "ids");
	});

	test.each([
		["accepts", 100],
		["refuses", 101],
	])("%s %d ids", async (verb, count) => {
		const others = Array<string>(count - 1).fill(unknown);
		const answer = await statuses([...others, bob.id]);
		if (verb === "accepts") expect(answer.body.statuses).toHaveLength(1);
		else expectBrokenBound(answer, "ids");
	});
});
