import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import { expectBrokenBound } from "../../../support/answers.ts";
import { useAgent, useGuest, useResort } from "../../../support/use-resort.ts";
import { iso } from "../../../support/values.ts";

const unknown = "018f0000-0000-7000-8000-000000000000";

const resort = useResort();
const ada = useAgent(resort, { name: "Ada" });
const bob = useGuest(resort, { name: "Bob" });
const cleo = useGuest(resort, { name: "Cleo" });

const statuses = (ids: readonly string[] | string) =>
	resort.call("GET", `/api/agents/status?ids=${String(ids)}`);

test("an agent is relaxing after a check-in, even if the clock was set back before", async () => {
	await resort.call("POST", "/api/checkout", bob);
	resort.advance(-HOUR_MS);
	await resort.call("POST", "/api/checkin", bob);
	const { body } = await resort.call("GET", `/api/agents/${bob.id}/status`);
	expect(body.status).toBe("relaxing");
	expect(body.stay.checkedInAt).toBe(iso(resort.nowMs));
});

describe("GET /api/agents/status", () => {
	test("lists unknown entries of `ids` once, in the order of the request", async () => {
		await resort.call("DELETE", "/api/me", { key: cleo.key });
		const given = [unknown, ada.id, "bob", cleo.id, "", " Bob ", "%00"].concat([
			"%zz",
			bob.id,
			unknown.toUpperCase(),
			ada.id.slice(1),
			"bob",
		]);
		const { body } = await statuses(given);
		expect(body.statuses.map(({ agent }) => agent.name)).toEqual(["Ada", "Bob"]);
		expect(body.unknown).toEqual([unknown, "bob", cleo.id, "", "%zz", ada.id.slice(1)]);
	});

	test.each([63, 64, 65])(
		"returns at most 64 characters of an unknown entry of %d characters",
		async (length) => {
			const given = ["n", "🌴"].map((character) => character.repeat(length));
			const { body } = await statuses(given.map(encodeURIComponent));
			expect(body.unknown).toEqual(["n", "🌴"].map((character) => character.repeat(Math.min(length, 64))));
		},
	);

	test("lists unknown entries once if they are equal after truncation", async () => {
		const long = "n".repeat(64);
		const { body } = await statuses([`${long}a`, `${long}b`, long]);
		expect(body.unknown).toEqual([long]);
	});

	test("refuses a list of only empty entries", async () => {
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
