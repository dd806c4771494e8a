/**
 * Tries to break the built executable: `bun run torture [NAME…] [--seed N] [--minutes N] [--rounds N]`.
 * Each part goes on for so many minutes (2 by default) or rounds, prints its figures, and the exit code is 1
 * when something did not hold. SIGINT and SIGTERM end it in order, with the figures so far and 128 and the signal's
 * number as exit code. Needs Linux and `dist/resort`; `test/torture/README.md` says what each part does.
 */
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { clients } from "./clients.ts";
import { disk } from "./disk.ts";
import { fuzz } from "./fuzz.ts";
import { kill } from "./kill.ts";
import type { Options, Part, Report } from "./part.ts";
import { partOf } from "./postgres/part.ts";
import { scenes } from "./postgres/scenes.ts";

const DEFAULT_MINUTES = 2;
/** How long nothing is told of a part that goes on. */
const SILENT_MS = 30_000;
const MAX_SEED = 4_294_967_295;

const parts: readonly Part[] = [
	kill,
	disk,
	clients,
	fuzz,
	...scenes.map(partOf),
];

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		seed: { type: "string" },
		minutes: { type: "string" },
		rounds: { type: "string" },
		before: { type: "string", default: "HEAD~1" },
		postgres: { type: "string" },
		help: { type: "boolean" },
	},
});
const unknown = positionals.filter(
	(name) => !parts.some((part) => isNamed(part, name)),
);
if (values.help || unknown.length > 0) {
	const lines = parts.map(({ name, about }) => `  ${name.padEnd(22)}${about}`);
	say(
		`bun run torture [NAME…] [--seed N] [--minutes N] [--rounds N] [--before COMMIT] [--postgres VERSION]\n${lines.join("\n")}`,
	);
	process.exit(unknown.length > 0 ? 2 : 0);
}

const seed = Math.floor(
	read("seed", MAX_SEED) ?? Math.random() * (MAX_SEED + 1),
);
const rounds = read("rounds", Number.MAX_SAFE_INTEGER);
const minutes =
	read("minutes", 7 * 24 * 60) ??
	(rounds === undefined ? DEFAULT_MINUTES : Number.POSITIVE_INFINITY);
const before = values.before;
const postgres = read("postgres", 99);
const chosen = parts.filter(
	(part) =>
		positionals.length === 0 || positionals.some((name) => isNamed(part, name)),
);

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		process.exitCode ||= 128 + constants.signals[signal];
		stopped.abort();
	});
}

for (const part of chosen) {
	if (stopped.signal.aborted) break;
	say(`\n${part.name}: ${part.about} (--seed ${seed})`);
	const startedMs = performance.now();
	const report = await attempt(part, startedMs);
	for (const [label, value] of [
		...report.figures,
		["took", `${secondsSince(startedMs)} s`] as const,
		["did not hold", `${report.failures.length}`] as const,
	]) {
		say(`  ${label.padEnd(44)}${value.padStart(24)}`);
	}
	for (const failure of report.failures) say(`  FAILED ${failure}`);
	if (stopped.signal.aborted) say("  was told to end before it was done");
	if (report.failures.length > 0) process.exitCode = 1;
}

/** Runs a part; what it throws is a failure as well. */
async function attempt(part: Part, startedMs: number): Promise<Report> {
	let toldMs = startedMs;
	const options: Options = {
		seed,
		stop: stopped.signal,
		before,
		postgres,
		goesOn: (done) =>
			!stopped.signal.aborted &&
			done < (rounds ?? Number.POSITIVE_INFINITY) &&
			(done === 0 || performance.now() - startedMs < minutes * 60_000),
		progress(soFar) {
			if (performance.now() - toldMs < SILENT_MS) return;
			toldMs = performance.now();
			process.stderr.write(`  ${secondsSince(startedMs)} s: ${soFar}\n`);
		},
	};
	try {
		return await part.run(options);
	} catch (error) {
		const what =
			error instanceof Error ? (error.stack ?? error.message) : error;
		return { figures: [], failures: [String(what)] };
	}
}

/** Whether a name means a part: its own, or the one before its dash, which means all with it. */
function isNamed(part: Part, name: string): boolean {
	return part.name === name || part.name.startsWith(`${name}-`);
}

function secondsSince(startedMs: number): string {
	return ((performance.now() - startedMs) / 1000).toFixed(0);
}

/** A number of the command line, from 0 to `max`. */
function read(
	name: "seed" | "minutes" | "rounds" | "postgres",
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
