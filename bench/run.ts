/**
 * Measures the built executable and other servers in turns, and prints tables. `bench/README.md` describes
 * how to read the tables. Requires Linux, `dist/resort` and wrk.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Bench, createBench } from "./bench.ts";
import type { goals, Result } from "./goals.ts";
import { cached, cold } from "./parts/cached.ts";
import { changes } from "./parts/changes.ts";
import { growth } from "./parts/growth.ts";
import { mcp } from "./parts/mcp.ts";
import { memory } from "./parts/memory.ts";
import { postgres } from "./parts/postgres.ts";
import { start } from "./parts/start.ts";
import { executable, stopAll } from "./process.ts";
import { printGoals } from "./report.ts";

type Part = (typeof goals)[keyof typeof goals]["part"];

const parts: Readonly<Record<Part, (bench: Bench) => Promise<Result[]>>> = {
	cached,
	cold,
	changes,
	mcp,
	start,
	postgres,
	growth,
	memory,
};

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

try {
	await run();
} catch (error) {
	printError(error);
}

/** Runs the requested parts. @throws Error if wrk or the executable is missing, or an argument is invalid */
async function run(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { seconds: { type: "string", default: "2" }, rounds: { type: "string", default: "7" } },
	});
	const [seconds, rounds] = [wholeNumber(values.seconds), wholeNumber(values.rounds)];
	const unknown = positionals.find((name) => !Object.hasOwn(parts, name));
	if (unknown !== undefined) {
		throw new Error(`unknown part ${unknown}; there are ${Object.keys(parts).join(", ")}`);
	}
	if (Bun.which("wrk") === null) {
		throw new Error("wrk is missing (Debian: apt-get install wrk)");
	}
	if (!existsSync(executable)) {
		throw new Error("dist/resort is missing: bun run build");
	}
	const requested = Object.entries(parts).filter(([name]) =>
		positionals.length === 0 ? name !== "memory" : positionals.includes(name),
	);
	const results: Result[] = [];
	for (const [name, part] of requested) {
		const waiting = loadavg()[0]?.toFixed(2);
		process.stdout.write(
			`\n== ${name}: ${availableParallelism()} cores, load ${waiting}, Bun ${Bun.version}, medians of ${rounds} runs of ${seconds} s ==\n`,
		);
		// If a part fails, the results of the other parts are still useful.
		try {
			results.push(...(await inFolder((folder) => part(createBench({ seconds, rounds, folder })))));
		} catch (error) {
			printError(error);
		}
	}
	printGoals(
		requested.map(([name]) => name),
		results,
	);
}

/** Runs a part with a new folder. Deletes the folder and stops all servers afterwards, even after Ctrl-C. */
async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), "resort-bench-"));
	const clear = async () => {
		await stopAll();
		rmSync(folder, { recursive: true });
	};
	const end = () => clear().then(() => process.exit(1));
	for (const signal of SIGNALS) process.once(signal, end);
	try {
		return await use(folder);
	} finally {
		for (const signal of SIGNALS) process.off(signal, end);
		await clear();
	}
}

function wholeNumber(text: string): number {
	if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${text}: not a whole number above 0`);
	return Number(text);
}

function printError(error: unknown): void {
	process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
}
