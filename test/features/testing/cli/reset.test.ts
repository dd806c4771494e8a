import { describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { visit } from "../../../support/visit.ts";
import { house, ids, keyOf } from "../fixtures.ts";

const folder = useTemporaryFolder();

const id = ids.ada;
const { agents, experiences } = house();

function flagsFor(fixtures: object): string[] {
	const file = folder.write(JSON.stringify(fixtures), "fixtures.json");
	return ["--ephemeral", "--test-controls", "--fixtures", file];
}

describe("POST /test/reset", () => {
	test("with --seed and --fixtures repeats the same random values, even if a write runs at the same time", async () => {
		const clock = ["--now", "2026-03-10T12:00:00Z", "--frozen"];
		await using resort = await folder.serve([...flagsFor(house()), "--seed", "7", ...clock]);
		const first = await visit(resort.url);
		const log = () => resort.send("GET", "/api/activities/log", { key: keyOf("a") });
		const logged = JSON.stringify(await log());
		for (let again = 0; again < 2; again++) {
			await Promise.all([resort.register(), resort.send("POST", "/test/reset")]);
			await resort.send("POST", "/test/reset");
			expect(await visit(resort.url)).toEqual(first);
			expect(JSON.stringify(await log())).toBe(logged);
		}
	});

	test("computes omitted and relative times in fixtures again, and keeps the random values in them", async () => {
		const flags = flagsFor({
			agents,
			stays: [{ agentId: id, checkedInAt: "-30m" }],
			experiences: experiences.map(({ createdAt, ...walk }) => walk),
		});
		// With this limit the stay ends two seconds after the start, and the reset below opens it again.
		await using resort = await folder.serve([...flags, "--max-stay", "0.5006"]);
		const told = async () => ({
			status: await resort.send("GET", `/api/agents/${id}/status`),
			experience: (await resort.send("GET", "/api/experiences")).experiences[0],
		});
		const before = await told();
		await until(async () => (await told()).status.status === "available");
		const { now } = await resort.send("POST", "/test/reset");
		const after = await told();
		expect(after.status.status).toBe("relaxing");
		expect(after.status.stay.roomName).toBe(before.status.stay.roomName);
		expect(after.experience?.id).toBe(before.experience?.id as string);
		const movedMs = (a: string, b: string) => Date.parse(b) - Date.parse(a);
		const { checkedInAt } = after.status.stay;
		expect(movedMs(before.status.stay.checkedInAt, checkedInAt)).toBeGreaterThan(1_000);
		expect(movedMs(checkedInAt, now) - 1_800_000).toBeLessThan(4_000);
	});

	test("returns 400 and changes nothing if absolute and relative times in the fixtures now contradict each other", async () => {
		const closedAt = new Date(Date.now() - 60_000).toISOString();
		const flags = flagsFor({ agents, stays: [{ agentId: id, checkedInAt: "-62s", checkedOutAt: closedAt }] });
		await using resort = await folder.serve(flags);
		await resort.register();
		await Bun.sleep(2_100);
		const reset = await resort.call("POST", "/test/reset");
		expect(reset.status).toBe(400);
		expect(reset.text).toContain("stays[0].checkedOutAt must not be before checkedInAt");
		expect(await resort.send("GET", "/test/state")).toMatchObject({ agents: 3 });
	});
});

test("two instances without --seed create different ids, keys and sessions", async () => {
	const drawn = await Promise.all(
		["one", "other"].map(async () => {
			await using resort = await folder.serve(["--ephemeral"]);
			return await visit(resort.url);
		}),
	);
	for (const part of ["agent", "apiKey", "stay", "cookie"] as const) {
		expect(new Set(drawn.map((one) => one[part])).size).toBe(drawn.length);
	}
});
