import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Ended } from "../support/executable.ts";
import { house, keyOf } from "../support/fixtures.ts";
import { useTemporaryFolder } from "../support/use-temporary-folder.ts";
import { ask, visit } from "../support/visit.ts";

const folder = useTemporaryFolder();

/** What is drawn in a visit to an instance with these flags, and what the instance left behind. */
async function visitWith(...flags: string[]) {
	const resort = await folder.serve(["--ephemeral", ...flags]);
	const drawn = await visit(resort.url);
	return { drawn, ended: await resort.stop() };
}

function warnings({ stderr }: Ended): string[] {
	const lines = stderr.trimEnd().split("\n");
	return lines.filter((line) => JSON.parse(line).level === "WARN");
}

describe("--seed", () => {
	test.each(["0", "7", "4294967295"])(
		"%s draws the same at each run",
		async (seed) => {
			const first = await visitWith("--seed", seed);
			const second = await visitWith("--seed", seed);
			expect(second.drawn).toEqual(first.drawn);
		},
	);

	test("begins anew at a reset, also after fixtures, and also among writes", async () => {
		writeFileSync(join(folder.path, "house.json"), JSON.stringify(house()));
		const resort = await folder.serve(
			["--ephemeral", "--test-controls", "--seed", "7"].concat([
				"--fixtures",
				"house.json",
				// A reset dates anew what the file does not date.
				...["--now", "2026-03-10T12:00:00Z", "--frozen"],
			]),
		);
		const first = await visit(resort.url);
		const log = () => ask(resort.url, "GET", "/api/activities/log", keyOf("a"));
		const logged = JSON.stringify(await log());
		for (let again = 0; again < 2; again++) {
			await Promise.all([
				ask(resort.url, "POST", "/api/agents", "", { name: "Eve" }),
				ask(resort.url, "POST", "/test/reset"),
			]);
			await ask(resort.url, "POST", "/test/reset");
			expect(await visit(resort.url)).toEqual(first);
			expect(JSON.stringify(await log())).toBe(logged);
		}
		await resort.stop();
	});

	test("draws other things for another seed, and without one", async () => {
		const visits = await Promise.all([
			...Array.from({ length: 5 }, (_, seed) => visitWith("--seed", `${seed}`)),
			visitWith(),
			visitWith(),
		]);
		const drawn = visits.map((visit) => visit.drawn);
		for (const part of ["agent", "apiKey", "stay", "cookie"] as const) {
			expect(new Set(drawn.map((one) => one[part])).size).toBe(drawn.length);
		}
		// There are few of these, so that two may be the same by chance, but not all.
		for (const part of ["brief", "room", "reflection", "ambiance"] as const) {
			const different = new Set(drawn.map((one) => JSON.stringify(one[part])));
			expect(different.size).toBeGreaterThan(1);
		}
	});

	test("warns in the log, and only with it", async () => {
		const seeded = await visitWith("--seed", "7");
		expect(warnings(seeded.ended)).toEqual([
			expect.stringContaining("guessable"),
		]);
		const usual = await visitWith();
		expect(warnings(usual.ended)).toEqual([]);
	});
});
