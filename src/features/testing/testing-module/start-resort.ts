/** The module `agent-resort/testing`. See testing-types.ts for its documentation. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, URL } from "node:url";
import { isDate } from "node:util/types";
import { mapValues, parseObject } from "../../../core/lib/record.ts";
import { clearTimeout, requireNextTick, setTimeout, spawn } from "./own-references.ts";
import { createResortMethods, quoteStart, toJson } from "./resort-methods.ts";
import type { Connect, LogLine, RunningResort, StartOptions, StartResort } from "./testing-types.ts";

/** How long an instance may take to stop before it is killed. */
const STOP_TIMEOUT_MS = 5_000;

/** How long to wait for the exit code of an instance that has closed a connection. */
const EXIT_WAIT_MS = 1_000;

/** The maximum numbers of log lines that are kept, and of characters in error messages. */
const MAX_LINES = 10_000;
const MAX_STDERR = 4_096;

/** The addresses that webhooks may use besides public addresses: receivers on this machine. */
const LOOPBACK = "127.0.0.0/8,::1";

/** The names of the options. Their values are validated by `resort`. */
const OPTIONS: readonly string[] = [
	"fixtures",
	"seed",
	"now",
	"frozen",
	"maxStay",
	"rateLimits",
	"webhooks",
	"executable",
];

/** Starts an ephemeral resort; see {@link StartResort}. */
export const startResort: StartResort = async (options = {}) => {
	if (!options || typeof options !== "object" || Array.isArray(options)) {
		throw new Error("options must be an object");
	}
	const { executable = defaultExecutable(), rateLimits = false } = options;
	const { executable: _, ...settings } = { ...options, rateLimits };
	// Only this user can read the folder.
	const folder = mkdtempSync(join(tmpdir(), "resort-fixtures-"));
	try {
		if (typeof settings.fixtures === "object") {
			const json = toJson(settings.fixtures);
			settings.fixtures = join(folder, "fixtures.json");
			writeFileSync(settings.fixtures, json);
		}
		return await start(executable, [
			"serve",
			"--ephemeral",
			"--test-controls",
			"--exit-with-parent",
			"--log-format=json",
			...flagsOf(settings),
			...(settings.webhooks === true ? [`--webhooks-allow=${LOOPBACK}`] : []),
		]);
	} finally {
		rmSync(folder, { recursive: true });
	}
};

/** Connects to a resort with test controls; see {@link Connect}. */
export const connect: Connect = async (given) => {
	const { RESORT_URL, RESORT_AGENT_KEYS, RESORT_AGENT_KEYS_FILE } = trimmedVariables();
	const address = given ?? RESORT_URL;
	if (!address) throw new Error("connect requires an address or RESORT_URL");
	const url = normalize(address);
	let keys = {};
	if (RESORT_URL && url === normalize(RESORT_URL)) {
		const file = RESORT_AGENT_KEYS_FILE;
		const text = RESORT_AGENT_KEYS || (file && readFileSync(file, "utf8"));
		keys = JSON.parse(text || "{}");
	}
	const methods = createResortMethods(url, async () => null);
	await methods.state();
	return { url, keys, ...methods };
};

/** Returns an address with its host in lower case, without a default port or a trailing slash. */
function normalize(address: string): string {
	if (/^https?:/i.test(address) && URL.canParse(address)) {
		const { origin, pathname } = new URL(address);
		return `${origin}${pathname}`.replace(/\/+$/, "");
	}
	const given = JSON.stringify(address);
	throw new Error(`${given} must be an address such as http://127.0.0.1:3000`);
}

/** Converts options to flags of `resort serve`. @throws Error for an unknown option */
function flagsOf(settings: StartOptions): string[] {
	return Object.entries(settings).flatMap(([name, value]) => {
		if (!OPTIONS.includes(name)) {
			const names = OPTIONS.join(", ");
			throw new Error(`unknown option ${name}: must be one of ${names}`);
		}
		if (value === undefined) return [];
		// Passes an invalid date on, because the executable explains what a date must be.
		const text = isDate(value) && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
		const flag = name.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`);
		return [`--${flag}=${text}`];
	});
}

async function start(executable: string, args: string[]): Promise<RunningResort> {
	requireNextTick();
	const child = spawn(executable, args, {
		stdio: ["pipe", "pipe", "pipe"],
		env: environmentWithoutSettings(),
	});
	// Ignored, because writing fails only after the child process has exited, and the exit is reported below.
	child.stdin.on("error", () => {});
	let stderr = "";
	const log: LogLine[] = [];
	createInterface({ input: child.stderr }).on("line", (text) => {
		// If the start fails, a line that is not JSON contains the reason.
		const line = parseObject(text);
		if (line !== null) log.push(line as LogLine);
		if (log.length > MAX_LINES) log.shift();
		if (line === null || line.level === "ERROR") {
			stderr = `${stderr}${text}\n`.slice(-MAX_STDERR);
		}
	});
	const ended = new Promise<Error>((resolve) => {
		child.once("error", ({ code, message }: NodeJS.ErrnoException) => {
			const reason = `cannot start ${JSON.stringify(executable)} (${code ?? message})`;
			resolve(new Error(`${reason}: put resort on the PATH, or set executable or RESORT_EXECUTABLE`));
		});
		const report = (code: number | null, signal: string | null) => {
			const message = stderr.trim();
			const reason = message && `: ${message}`;
			resolve(new Error(`resort ended (${code ?? signal})${reason}`));
		};
		// "close" is better, because at "exit" stderr may still have unread output. But Bun 1.4.5 sometimes never
		// emits "close" for a process whose pipes do not keep this process running.
		child.once("close", report);
		child.once("exit", (code, signal) => setTimeout(report, EXIT_WAIT_MS, code, signal).unref());
	});
	const firstLine = once(createInterface({ input: child.stdout }), "line");
	try {
		const first = await Promise.race([firstLine, ended]);
		if (first instanceof Error) throw first;
		const line = String(first[0]);
		const { url, keys = {} } = parseObject(line) ?? {};
		if (typeof url !== "string") {
			const name = JSON.stringify(executable);
			throw new Error(`${name} is not the resort executable: it printed ${quoteStart(line)}`);
		}
		// Lets this process exit while the child process runs, because the child process then exits too.
		child.unref();
		for (const pipe of [child.stdin, child.stdout, child.stderr]) {
			if ("unref" in pipe && typeof pipe.unref === "function") pipe.unref();
		}
		let isStopped = false;
		const stop = async () => {
			// Does not wait for "close", because Node loses this event if the process ends while nextTick is fake.
			if (isStopped && (child.exitCode ?? child.signalCode) !== null) return;
			// The instance stops when stdin closes. Sends SIGTERM too, because another process may hold the pipe
			// open, but not on Windows, where this would kill the instance.
			if (!isStopped && process.platform !== "win32") child.kill();
			isStopped = true;
			child.stdin.end();
			requireNextTick();
			const kill = () => child.kill("SIGKILL");
			const timer = setTimeout(kill, STOP_TIMEOUT_MS);
			await ended;
			clearTimeout(timer);
		};
		const whyEnded = async () => {
			if (isStopped) return new Error("resort was stopped");
			const wait = (resolve: (value: null) => void) => setTimeout(resolve, EXIT_WAIT_MS, null);
			return Promise.race([ended, new Promise<null>(wait)]);
		};
		return {
			url,
			...createResortMethods(url, whyEnded),
			logs: () => [...log],
			stop,
			[Symbol.asyncDispose]: stop,
			keys: keys as RunningResort["keys"],
		};
	} catch (error) {
		child.kill();
		throw error;
	}
}

/** Returns the environment without the settings of a permanent resort. */
function environmentWithoutSettings(): NodeJS.ProcessEnv {
	return Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !name.startsWith("RESORT_") && name !== "PORT"),
	);
}

/** Returns the environment variables without white space around their values, such as a final line break. */
function trimmedVariables() {
	return mapValues(process.env, (value) => value?.trim());
}

function defaultExecutable(): string {
	const { RESORT_EXECUTABLE } = trimmedVariables();
	if (RESORT_EXECUTABLE) return RESORT_EXECUTABLE;
	// Not `new URL("resort", import.meta.url)`, which bundlers would resolve. In some bundles,
	// `import.meta.url` is undefined.
	const here: string | undefined = import.meta.url;
	const sibling = here ? join(dirname(fileURLToPath(here)), "resort") : "";
	// Uses the sibling only if it is a file, because a folder may have the same name.
	const isFile = statSync(sibling, { throwIfNoEntry: false })?.isFile();
	return isFile ? sibling : "resort";
}
