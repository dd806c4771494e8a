/** `agent-resort/testing`; what it gives is told in testing/types.ts. */
import { spawn } from "node:child_process";
import {
	accessSync,
	constants,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Keyed, withKeys } from "./testing/keys.ts";
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

/** Starts a throwaway resort; see {@link StartResort}. */
export const startResort: StartResort = async (options = {}) => {
	const fixtures = fixturesFile(options);
	const child = spawn(
		executableOf(options),
		argumentsOf(options, fixtures?.path),
		{
			stdio: ["pipe", "pipe", "pipe"],
			env: ownEnvironment(),
		},
	);
	// Whoever writes to a program that has ended is told by its end.
	child.stdin.on("error", () => {});
	let told = "";
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		told = (told + text).slice(-MAX_TOLD);
	});
	const ended = new Promise<Error>((resolve) => {
		child.once("error", (error) =>
			resolve(new Error(`resort cannot be started: ${error.message}`)),
		);
		child.once("exit", (code, signal) =>
			resolve(new Error(`resort ended (${code ?? signal}): ${told.trim()}`)),
		);
	});
	try {
		const line = await Promise.race([firstLine(child.stdout), ended]);
		if (line instanceof Error) throw line;
		const { url } = JSON.parse(line);
		// A test may end without stopping it: the instance ends with the pipe to it.
		child.unref();
		for (const pipe of [child.stdin, child.stdout, child.stderr]) {
			if ("unref" in pipe && typeof pipe.unref === "function") pipe.unref();
		}
		return running(url, fixtures?.keys ?? {}, async () => {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
			child.stdin.end();
			await ended;
			clearTimeout(timer);
		});
	} finally {
		fixtures?.remove();
	}
};

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
			const query = new URLSearchParams({ ...filter });
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

/** A file of fixtures for one instance, with the keys of its agents; it is for this user alone, and is removed. */
function fixturesFile({
	fixtures,
	seed,
}: StartOptions):
	| (Pick<Keyed, "keys"> & { readonly path: string; remove(): void })
	| null {
	if (fixtures === undefined) return null;
	const given =
		typeof fixtures === "string" ? readFixtures(fixtures) : fixtures;
	const keyed = withKeys(given, seed);
	const folder = mkdtempSync(join(tmpdir(), "resort-fixtures-"));
	const path = join(folder, "fixtures.json");
	writeFileSync(path, JSON.stringify(keyed.fixtures), { mode: 0o600 });
	return {
		path,
		keys: keyed.keys,
		remove: () => rmSync(folder, { recursive: true }),
	};
}

/** @throws Error when the file cannot be read, or holds no JSON object */
function readFixtures(path: string): object {
	const value: unknown = JSON.parse(readFileSync(path, "utf8"));
	if (typeof value === "object" && value !== null) return value;
	throw new Error(`${path} holds no JSON object`);
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
