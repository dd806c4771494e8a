/** `agent-resort/testing`; what it gives is told in testing/types.ts. */
import { spawn } from "node:child_process";
import {
	accessSync,
	constants,
	mkdtempSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type {
	CallsFilter,
	Fault,
	FaultOptions,
	RecordedCall,
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

/** Starts a throwaway resort; see {@link StartResort}. */
export const startResort: StartResort = async (options = {}) => {
	requireOptions(options);
	const executable = executableOf(options);
	const fixtures = fixturesFile(options.fixtures);
	const child = spawn(executable, argumentsOf(options, fixtures?.path), {
		stdio: ["pipe", "pipe", "pipe"],
		env: ownEnvironment(),
	});
	// Whoever writes to a program that has ended is told by its end.
	child.stdin.on("error", () => {});
	let told = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		told = (told + text).slice(-MAX_TOLD);
	});
	const exited = new Promise<void>((resolve) => {
		child.once("exit", () => resolve());
	});
	const failed = new Promise<Error>((resolve) => {
		child.once("error", (error) => resolve(notStarted(executable, error)));
		// Not "exit", after which stderr may still come.
		child.once("close", (code, signal) =>
			resolve(new Error(`resort ended (${code ?? signal}): ${told.trim()}`)),
		);
	});
	try {
		const line = await Promise.race([firstLine(child.stdout), failed]);
		if (line instanceof Error) throw line;
		const { url, keys = {} } = readyLine(executable, line);
		// A test may end without stopping it: the instance ends with the pipe to it.
		child.unref();
		for (const pipe of [child.stdin, child.stdout, child.stderr]) {
			if ("unref" in pipe && typeof pipe.unref === "function") pipe.unref();
		}
		return running(url, keys, async () => {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
			child.stdin.end();
			await exited;
			clearTimeout(timer);
		});
	} catch (error) {
		child.kill();
		throw error;
	} finally {
		fixtures?.remove();
	}
};

/** The kinds of value that each option takes, for those who write without types. */
const kinds: Readonly<
	Record<
		keyof StartOptions,
		readonly [told: string, is: (value: unknown) => boolean]
	>
> = {
	fixtures: [
		"an object or a path",
		(value) => typeof value === "string" || isObject(value),
	],
	seed: ["a number", (value) => typeof value === "number"],
	now: [
		"a UTC time",
		(value) =>
			typeof value === "string" ||
			(value instanceof Date && !Number.isNaN(value.getTime())),
	],
	frozen: ["true or false", (value) => typeof value === "boolean"],
	maxStay: ["a number of hours", (value) => typeof value === "number"],
	rateLimits: ["true or false", (value) => typeof value === "boolean"],
	executable: ["a path", (value) => typeof value === "string"],
};

const isObject = (value: unknown) =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** @throws Error for an option that there is not, and for one of another kind; their bounds are those of `resort` */
function requireOptions(options: StartOptions): void {
	for (const [name, value] of Object.entries(options)) {
		if (!Object.hasOwn(kinds, name)) {
			const known = Object.keys(kinds).join(", ");
			throw new Error(`unknown option ${name}: must be one of ${known}`);
		}
		const [told, is] = kinds[name as keyof StartOptions];
		if (value !== undefined && !is(value)) {
			throw new Error(`${name} must be ${told}`);
		}
	}
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
		return JSON.parse(line);
	} catch {
		throw new Error(
			`${JSON.stringify(executable)} is not a resort: it said ${JSON.stringify(line.slice(0, MAX_SHOWN))}`,
		);
	}
}

function running(
	url: string,
	keys: Readonly<Record<string, string>>,
	end: () => Promise<void>,
): RunningResort {
	const control = async (method: string, path: string, body?: object) => {
		const response = await fetch(`${url}/test/${path}`, {
			method,
			...(body !== undefined && {
				headers: { "content-type": "application/json" },
				body: JSON.stringify(body),
			}),
		});
		const answer = (await response.json()) as Record<string, unknown>;
		if (response.ok) return answer;
		const { error, hint } = answer;
		throw new Error([error, hint].filter(Boolean).join(". "));
	};
	const clock = async (body: object) => {
		await control("POST", "clock", body);
	};
	let stopping: Promise<void> | null = null;
	const stop = () => {
		stopping ??= end();
		return stopping;
	};
	return {
		url,
		keys,
		async reset() {
			await control("POST", "reset");
		},
		advance: (seconds) => clock({ advanceSeconds: seconds }),
		freeze: () => clock({ frozen: true }),
		thaw: () => clock({ frozen: false }),
		async fault(fault: FaultOptions) {
			return (await control("POST", "faults", fault)).fault as Fault;
		},
		async calls(filter: CallsFilter = {}) {
			const query = new URLSearchParams(
				Object.entries(filter).filter(([, value]) => value !== undefined),
			);
			return (await control("GET", `calls?${query}`)).calls as RecordedCall[];
		},
		stop,
		[Symbol.asyncDispose]: stop,
	};
}

function argumentsOf(
	{ seed, now, frozen, maxStay, rateLimits }: StartOptions,
	fixtures: string | undefined,
): string[] {
	const flags: Record<string, string | undefined> = {
		fixtures,
		seed: seed?.toString(),
		now: now instanceof Date ? now.toISOString() : now,
		"max-stay": maxStay?.toString(),
		"rate-limits": rateLimits === true ? "on" : "off",
		"log-level": "error",
	};
	return [
		...["serve", "--ephemeral", "--test-controls", "--exit-with-parent"],
		...(frozen === true ? ["--frozen"] : []),
		...Object.entries(flags).flatMap(([name, value]) =>
			value === undefined ? [] : [`--${name}=${value}`],
		),
	];
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
	try {
		accessSync(beside, constants.X_OK);
		return beside;
	} catch {
		return "resort";
	}
}

/** The file of the fixtures; one that is made for them is for this user alone, and is removed. */
function fixturesFile(
	fixtures: StartOptions["fixtures"],
): { readonly path: string; remove(): void } | null {
	if (fixtures === undefined) return null;
	if (typeof fixtures === "string") return { path: fixtures, remove() {} };
	const folder = mkdtempSync(join(tmpdir(), "resort-fixtures-"));
	const path = join(folder, "fixtures.json");
	writeFileSync(path, JSON.stringify(fixtures), { mode: 0o600 });
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
