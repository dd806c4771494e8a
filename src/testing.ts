/** `agent-resort/testing`; what it gives is told in testing/types.ts. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { controlMethods } from "./testing/controls.ts";
import { argumentsOf, requireOptions } from "./testing/options.ts";
import type {
	RunningResort,
	StartOptions,
	StartResort,
} from "./testing/types.ts";

/** How long an instance may take to stop before it is killed. */
const STOP_MS = 5_000;

/** How much of what an instance says on stderr is kept for an error. */
const MAX_TOLD = 4_096;

/** How much of a line that is no ready line is shown. */
const MAX_SHOWN = 100;

/** How long the end of an instance may take to be known after it gave no answer. */
const END_MS = 1_000;

/** Starts a throwaway resort; see {@link StartResort}. */
export const startResort: StartResort = async (options = {}) => {
	requireOptions(options);
	const executable = executableOf(options);
	const fixtures = fixturesFile(options.fixtures);
	try {
		return await start(executable, argumentsOf(options, fixtures?.path));
	} finally {
		fixtures?.remove();
	}
};

async function start(
	executable: string,
	args: string[],
): Promise<RunningResort> {
	const child = spawn(executable, args, {
		stdio: ["pipe", "pipe", "pipe"],
		env: ownEnvironment(),
	});
	// Whoever writes to a program that has ended is told by its end.
	child.stdin.on("error", () => {});
	let told = "";
	let isReady = false;
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		told = (told + text).slice(-MAX_TOLD);
	});
	const exited = new Promise<void>((resolve) => {
		child.once("exit", () => resolve());
	});
	const ended = new Promise<Error>((resolve) => {
		child.once("error", (error) => resolve(notStarted(executable, error)));
		// Not "exit", after which stderr may still come.
		child.once("close", (code, signal) => {
			const how = `(${code ?? signal})`;
			const said = told.trim();
			// A resort that does not start says why.
			const isNone = !isReady && signal === null && said === "";
			resolve(
				isNone
					? notResort(executable, `ended ${how} without a word`)
					: new Error(`resort ended ${how}${said && `: ${said}`}`),
			);
		});
	});
	try {
		const line = await Promise.race([firstLine(child.stdout), ended]);
		if (line instanceof Error) throw line;
		const { url, keys = {} } = readyLine(executable, line);
		isReady = true;
		// A test may end without stopping it: the instance ends with the pipe to it.
		child.unref();
		for (const pipe of [child.stdin, child.stdout, child.stderr]) {
			if ("unref" in pipe && typeof pipe.unref === "function") pipe.unref();
		}
		let stopping: Promise<void> | null = null;
		const stop = () => {
			stopping ??= end(child, exited);
			return stopping;
		};
		const endOf = () =>
			stopping === null
				? Promise.race([ended, sleep(END_MS, null)])
				: Promise.resolve(new Error("resort was stopped"));
		return {
			url,
			keys,
			...controlMethods(url, endOf),
			stop,
			[Symbol.asyncDispose]: stop,
		};
	} catch (error) {
		child.kill();
		throw error;
	}
}

/** Ends an instance in order, or kills it when it does not end. */
async function end(child: ChildProcess, exited: Promise<void>): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
	child.stdin?.end();
	await exited;
	clearTimeout(timer);
}

function notStarted(executable: string, error: Error): Error {
	const reason = "code" in error ? error.code : error.message;
	return new Error(
		`cannot start ${JSON.stringify(executable)} (${reason}): put resort on the PATH, or name it in executable or RESORT_EXECUTABLE`,
	);
}

function readyLine(
	executable: string,
	line: string,
): { url: string; keys?: Record<string, string> } {
	try {
		const ready = JSON.parse(line);
		if (typeof ready.url === "string") return ready;
	} catch {
		// A line that is no JSON is refused like one without an address.
	}
	const shown = JSON.stringify(line.slice(0, MAX_SHOWN));
	throw notResort(executable, `said ${shown}`);
}

/** @param did what a resort does not do */
function notResort(executable: string, did: string): Error {
	return new Error(`${JSON.stringify(executable)} is not a resort: it ${did}`);
}

/** The variables of this process without those that are meant for an instance that is kept. */
function ownEnvironment(): Record<string, string | undefined> {
	return Object.fromEntries(
		Object.entries(process.env).filter(
			([name]) => !name.startsWith("RESORT_") && name !== "PORT",
		),
	);
}

function executableOf({ executable }: StartOptions): string {
	const given = executable ?? process.env.RESORT_EXECUTABLE;
	if (given) return given;
	const beside = fileURLToPath(new URL("resort", import.meta.url));
	// Not a folder of this name, in which one may look things up too.
	const isFile = statSync(beside, { throwIfNoEntry: false })?.isFile();
	return isFile ? beside : "resort";
}

/** The file of the fixtures; one that is made for them is for this user alone, and is removed. */
function fixturesFile(
	fixtures: StartOptions["fixtures"],
): { readonly path: string; remove(): void } | null {
	if (fixtures === undefined) return null;
	if (typeof fixtures === "string") return { path: fixtures, remove() {} };
	const text = JSON.stringify(fixtures);
	const folder = mkdtempSync(join(tmpdir(), "resort-fixtures-"));
	const path = join(folder, "fixtures.json");
	writeFileSync(path, text, { mode: 0o600 });
	return { path, remove: () => rmSync(folder, { recursive: true }) };
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
	const lines = createInterface({ input: stream });
	return new Promise((resolve) => {
		lines.once("line", (line) => {
			lines.close();
			// What comes later is read and left, so that the pipe never fills.
			stream.resume();
			resolve(line);
		});
	});
}
