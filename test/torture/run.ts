/**
 * Tries to break the built executable: `bun run torture [NAME…] [--seed N] [--minutes N | --rounds N]`.
 * Each part goes on for so many minutes (2 by default) or rounds, prints its figures, and the exit code is 1
 * when something did not hold. Needs Linux and `dist/resort`; `test/torture/README.md` says what each part does.
 */
import { parseArgs } from "node:util";
import { clients } from "./clients.ts";
import { disk } from "./disk.ts";
import { fuzz } from "./fuzz.ts";
import { kill } from "./kill.ts";
import type { Options, Part, Report } from "./part.ts";
import { soak } from "./soak.ts";
import { walk } from "./walk.ts";

const DEFAULT_MINUTES = 2;
const MAX_SEED = 4_294_967_295;

const parts: readonly Part[] = [kill, disk, clients, fuzz, walk, soak];

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		seed: { type: "string" },
		minutes: { type: "string" },
		rounds: { type: "string" },
		help: { type: "boolean" },
	},
});
const unknown = positionals.filter(
	(name) => !parts.some((part) => part.name === name),
);
if (values.help || unknown.length > 0) {
	const lines = parts.map(({ name, about }) => `  ${name.padEnd(10)}${about}`);
	say(
		`bun run torture [NAME…] [--seed N] [--minutes N | --rounds N]\n${lines.join("\n")}`,
	);
	process.exit(unknown.length > 0 ? 2 : 0);
}

const seed = Math.floor(
	read("seed", MAX_SEED) ?? Math.random() * (MAX_SEED + 1),
);
const rounds = read("rounds", Number.MAX_SAFE_INTEGER);
const minutes = read("minutes", 7 * 24 * 60) ?? DEFAULT_MINUTES;
const chosen = parts.filter(
	({ name }) => positionals.length === 0 || positionals.includes(name),
);

for (const part of chosen) {
	say(`\n${part.name}: ${part.about} (--seed ${seed})`);
	const startedMs = performance.now();
	const report = await attempt(part, startedMs);
	const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
	for (const [label, value] of [
		...report.figures,
		["took", `${seconds} s`] as const,
		["did not hold", `${report.failures.length}`] as const,
	]) {
		say(`  ${label.padEnd(44)}${value.padStart(24)}`);
	}
	for (const failure of report.failures) say(`  FAILED ${failure}`);
	if (report.failures.length > 0) process.exitCode = 1;
}

/** Runs a part; what it throws is a failure as well. */
async function attempt(part: Part, startedMs: number): Promise<Report> {
	const options: Options = {
		seed,
		goesOn: (done) =>
			rounds === undefined
				? done === 0 || performance.now() - startedMs < minutes * 60_000
				: done < rounds,
	};
	try {
		return await part.run(options);
	} catch (error) {
		const what =
			error instanceof Error ? (error.stack ?? error.message) : error;
		return { figures: [], failures: [String(what)] };
	}
}

/** A number of the command line, from 0 to `max`. */
function read(
	name: "seed" | "minutes" | "rounds",
	max: number,
): number | undefined {
	const text = values[name];
	if (text === undefined) return undefined;
	const value = Number(text);
	if (text.trim() !== "" && value >= 0 && value <= max) return value;
	say(`--${name} must be a number from 0 to ${max}`);
	process.exit(2);
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}
