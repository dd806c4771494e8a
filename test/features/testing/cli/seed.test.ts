import { describe, expect, test } from "bun:test";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { visit } from "../../../support/visit.ts";
import { house, keyOf } from "../fixtures.ts";

const folder = useTemporaryFolder();

describe("--seed", () => {
	test("creates the same values after a reset, also with fixtures and concurrent writes", async () => {
		folder.write(JSON.stringify(house()), "house.json");
		const clock = ["--now", "2026-03-10T12:00:00Z", "--frozen"];
		const flags = ["--ephemeral", "--test-controls", "--seed", "7", "--fixtures", "house.json"];
		await using resort = await folder.serve([...flags, ...clock]);
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

	test("creates other values with another seed and without a seed", async () => {
		const drawn = await Promise.all(
			[["--seed", "1"], ["--seed", "2"], [], []].map(async (flags) => {
				await using resort = await folder.serve(["--ephemeral", ...flags]);
				return await visit(resort.url);
			}),
		);
		for (const part of ["agent", "apiKey", "stay", "cookie"] as const) {
			expect(new Set(drawn.map((one) => one[part])).size).toBe(drawn.length);
		}
		// Some of these may be equal by chance, but not all.
		for (const part of ["brief", "room", "reflection", "ambiance"] as const) {
			const different = new Set(drawn.map((one) => JSON.stringify(one[part])));
			expect(different.size).toBeGreaterThan(1);
		}
	});
});
