/**
 * Measures the built executable beside other servers, in turns, and prints tables; `bench/README.md` says
 * how to read them. Needs Linux, `dist/resort` and wrk.
 * Usage: {@link USAGE}
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createBench } from "./bench.ts";
import { type Options, readOptions } from "./options.ts";
import { cached } from "./parts/cached.ts";
import { changes } from "./parts/changes.ts";
import { events } from "./parts/events.ts";
import { growth } from "./parts/growth.ts";
import { latency } from "./parts/latency.ts";
import { memory } from "./parts/memory.ts";
import { postgres } from "./parts/postgres.ts";
import { searches } from "./parts/searches.ts";
import { start } from "./parts/start.ts";
import { executable, stopAll } from "./process.ts";
import { printVerdicts, type Verdict } from "./report.ts";

const parts = { cached, changes, latency, growth, start, memory, events, searches, postgres };

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

const USAGE = `npm run bench -- [PART…] [--full] [--seconds N] [--rounds N] [--minutes N] [SIZES]
parts: ${Object.keys(parts).join(", ")}
sizes: --agents N --stays N --log N --guests N --experiences N --votes N --postcards N --large N --seed N
bench/README.md says how to read it.
`;

if (process.argv.includes("--help")) {
	process.stdout.write(USAGE);
	process.exit();
}

try {
	await run(readOptions(process.argv.slice(2)));
} catch (error) {
	if (!(error instanceof Error)) throw error;
	process.stderr.write(`bench: ${error.message}\n`);
	process.exitCode = 1;
}

/** @throws Error when something that it needs is missing, or a server cannot be started */
async function run(options: Options): Promise<void> {
	const unknown = options.parts.find((name) => !Object.hasOwn(parts, name));
	if (unknown !== undefined) {
		throw new Error(`unknown part ${unknown}; there are ${Object.keys(parts).join(", ")}`);
	}
	if (Bun.which("wrk") === null) {
		throw new Error("wrk is missing (Debian: apt-get install wrk)");
	}
	if (!existsSync(executable)) {
		throw new Error("dist/resort is missing: bun run build");
	}
	const requested = Object.entries(parts).filter(
		([name]) => options.parts.length === 0 || options.parts.includes(name),
	);
	const verdicts: Verdict[] = [];
	for (const [name, part] of requested) {
		printMachine(name, options);
		verdicts.push(...(await inFolder((folder) => part(createBench(options, folder)))));
	}
	if (verdicts.length > 0) printVerdicts(verdicts);
}

/**
 * Gives a part a folder of its own; the folder and the part's servers are gone afterwards, also at Ctrl-C.
 */
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

function printMachine(part: string, { seconds, rounds }: Options): void {
	const waiting = loadavg()
		.map((load) => load.toFixed(2))
		.join(" ");
	process.stdout.write(
		`\n== ${part}: ${availableParallelism()} cores, load ${waiting}, Bun ${Bun.version}, medians of ${rounds} runs of ${seconds} s ==\n`,
	);
}
