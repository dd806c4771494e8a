/**
 * Measures how long the command-line client takes to start, beside an empty program, both on Node and in
 * turns:
 *
 *     npm run build && npx bun bench/client.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inTurns } from "./load.ts";
import { root } from "./process.ts";
import { atMost, printTable, printVerdicts } from "./report.ts";

const ROUNDS = 40;
const MOST_TIMES = 1.6;

const folder = mkdtempSync(join(tmpdir(), "resort-bench-"));
const empty = join(folder, "empty.mjs");
writeFileSync(empty, "");
const client = join(root, "dist/agent-resort.mjs");
const programs = [[empty], [client, "--version"]];
const runs = await inTurns(programs, ROUNDS, async (args) => {
	const startedAt = performance.now();
	const child = Bun.spawn(["node", ...args], {
		env: { PATH: process.env.PATH ?? "", HOME: folder },
		stdout: "ignore",
	});
	await child.exited;
	return performance.now() - startedAt;
});
rmSync(folder, { recursive: true });
// Whatever else the machine does only makes them slower.
const [bare = 0, started = 0] = runs.map((times) => Math.min(...times));
printTable(
	`the fastest of ${ROUNDS}`,
	["", "ms"],
	[
		["an empty program", bare.toFixed(1)],
		["the client's --version", started.toFixed(1)],
	],
);
printVerdicts([atMost("the client's start beside it", started / bare, MOST_TIMES, "x")]);
