/**
 * Tries to break the built executable: `bun run torture [NAME…] [--seed N] [--minutes N] [--rounds N]
 * [--before COMMIT]`. Each part runs for a number of minutes (2 by default) or rounds, and prints its
 * results. The exit code is 1 if a part has failed. After SIGINT or SIGTERM, the program prints the results
 * so far and ends; the exit code is then 128 plus the number of the signal. Requires Linux and `dist/resort`.
 * `test/torture/README.md` describes the parts.
 */
import { constants } from "node:os";
import { parseArgs } from "node:util";
import { MAX_SEED } from "../../src/features/testing/seeded-random.ts";
import { abuseParts } from "./abuse.ts";
import { adminParts } from "./admin.ts";
import { kill } from "./kill.ts";
import type { Options, Part, Report } from "./part.ts";
import { partOf } from "./postgres/play.ts";
import { scenes } from "./postgres/scenes.ts";
import { soak } from "./soak.ts";

const DEFAULT_MINUTES = 2;

const parts: readonly Part[] = [kill, ...abuseParts, ...adminParts, soak, ...scenes.map(partOf)];

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		seed: { type: "string" },
		minutes: { type: "string" },
		rounds: { type: "string" },
		before: { type: "string", default: "HEAD~1" },
	},
});
for (const name of positionals) {
	if (parts.some((part) => isNamed(part, name))) continue;
	const lines = parts.map(({ name, about }) => `  ${name.padEnd(22)}${about}`);
	say(`no part is called ${name}; there are\n${lines.join("\n")}`);
	process.exit(2);
}
const seed = Math.floor(read("seed", MAX_SEED) ?? Math.random() * (MAX_SEED + 1));
const rounds = read("rounds", Number.MAX_SAFE_INTEGER) ?? Number.POSITIVE_INFINITY;
const minutes =
	read("minutes", 7 * 24 * 60) ??
	(rounds === Number.POSITIVE_INFINITY ? DEFAULT_MINUTES : Number.POSITIVE_INFINITY);

const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.on(signal, () => {
		process.exitCode ||= 128 + constants.signals[signal];
		stopped.abort();
	});
}

for (const part of parts) {
	const isChosen = positionals.length === 0 || positionals.some((name) => isNamed(part, name));
	if (!isChosen || stopped.signal.aborted) continue;
	say(`\n${part.name}: ${part.about} (--seed ${seed})`);
	const startedMs = performance.now();
	const { figures, failures } = await attempt(part, startedMs);
	const tookSeconds = (performance.now() - startedMs) / 1_000;
	for (const [label, value] of [
		...figures,
		["took", `${tookSeconds.toFixed(0)} s`] as const,
		["did not hold", `${failures.length}`] as const,
	]) {
		say(`  ${label.padEnd(44)}${value.padStart(24)}`);
	}
	for (const failure of failures) say(`  FAILED ${failure}`);
	if (stopped.signal.aborted) say("  ended by a signal before it was done");
	if (failures.length > 0) process.exitCode = 1;
}

/** Runs a part. An error that it throws counts as a failure. */
async function attempt(part: Part, startedMs: number): Promise<Report> {
	const options: Options = {
		seed,
		stop: stopped.signal,
		before: values.before,
		goesOn: (done) =>
			!stopped.signal.aborted &&
			done < rounds &&
			(done === 0 || performance.now() - startedMs < minutes * 60_000),
	};
	try {
		return await part.run(options);
	} catch (error) {
		return { figures: [], failures: [error instanceof Error ? `${error.stack}` : String(error)] };
	}
}

/** Returns whether `name` selects a part. For example, `abuse` selects `abuse` and `abuse-network`. */
function isNamed(part: Part, name: string): boolean {
	return part.name === name || part.name.startsWith(`${name}-`);
}

/** Reads a number from 0 to `max` from the command line. */
function read(name: "seed" | "minutes" | "rounds", max: number): number | undefined {
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
