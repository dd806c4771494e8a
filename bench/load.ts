import { join } from "node:path";
import { processorMs } from "../test/support/processes.ts";
import type { Running } from "./process.ts";

/** A request of the load generator. */
export interface SentRequest {
	readonly method?: "GET" | "POST";
	readonly path: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Sent as JSON. */
	readonly body?: object | undefined;
}

/** The options of one run of the load generator. */
export interface Load {
	readonly server: Running;
	readonly seconds: number;
	/** The result of {@link requestsFile}. */
	readonly requests: string;
	/** At random by default. With `turns`, a run continues after the last request of the previous run. */
	readonly order?: "random" | "turns";
	/** The number of connections; 32 by default. */
	readonly connections?: number;
}

/** The results of a run. */
export interface Figures {
	readonly perSecond: number;
	/** The processor time of the server per request, in microseconds. */
	readonly processorUs: number;
	readonly p50Ms: number;
	readonly p99Ms: number;
	/** The number of responses that were not 2xx, plus the number of failed connections. */
	readonly failed: number;
}

const CONNECTIONS = 32;
const SCRIPT = join(import.meta.dir, "requests.lua");

let files = 0;

/**
 * Writes requests to a new file for the load generator.
 * @param folder where the file is created
 * @returns the path of the file
 */
export async function requestsFile(folder: string, requests: readonly SentRequest[]): Promise<string> {
	const file = join(folder, `requests-${++files}`);
	await Bun.write(file, requests.map(format).join("\0"));
	return file;
}

function format({ method = "GET", path, headers = {}, body }: SentRequest): string {
	const text = body === undefined ? "" : JSON.stringify(body);
	const content = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
	const fields = Object.entries({ host: "127.0.0.1", ...headers, ...(body !== undefined && content) });
	const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
	return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

/** Runs wrk once. */
export async function load(options: Load): Promise<Figures> {
	const { server, seconds, requests, order = "random", connections = CONNECTIONS } = options;
	const flags = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", SCRIPT];
	const before = processorMs(server.pid);
	const wrk = Bun.spawn(["wrk", ...flags, server.url, "--", requests, order], { stderr: "inherit" });
	const output = await new Response(wrk.stdout).text();
	const usedMs = processorMs(server.pid) - before;
	return {
		perSecond: find(output, /Requests\/sec:\s+(\S+)/),
		processorUs: (usedMs * 1000) / find(output, /(\d+) requests in/),
		p50Ms: latencyMs(output, 50),
		p99Ms: latencyMs(output, 99),
		failed: countFailed(output),
	};
}

/** Returns the median of each figure over one or more runs, and the sum of the failures. */
export function medians<F extends { readonly failed: number }>(runs: readonly F[]): F {
	const names = Object.keys(runs[0] ?? {}) as (keyof F)[];
	const of = (name: keyof F) => runs.map((run) => Number(run[name]));
	return {
		...(Object.fromEntries(names.map((name) => [name, median(of(name))])) as F),
		failed: of("failed").reduce((sum, failed) => sum + failed, 0),
	};
}

/** Returns the median; of an even number of values, the lower of the two in the middle. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/**
 * Measures several things in turns, so that a slow period of the machine affects all of them. Each round
 * begins with another thing.
 * @returns the results for each thing, in the order of the things
 */
export async function inTurns<T, R>(
	things: readonly T[],
	rounds: number,
	measure: (thing: T) => Promise<R>,
): Promise<R[][]> {
	const results = things.map((): R[] => []);
	for (let round = 0; round < rounds; round++) {
		for (let step = 0; step < things.length; step++) {
			const place = (round + step) % things.length;
			const thing = things[place];
			if (thing !== undefined) results[place]?.push(await measure(thing));
		}
	}
	return results;
}

/**
 * Runs the loads in turns. Before that, runs each load once without measuring, so that the runtimes have
 * compiled the code.
 * @returns the runs of each load, in the order of the rounds
 */
export async function loadInTurns(loads: readonly Load[], rounds: number): Promise<Figures[][]> {
	for (const one of loads) await load(one);
	return inTurns(loads, rounds, load);
}

function find(output: string, pattern: RegExp): number {
	return Number(pattern.exec(output)?.[1]);
}

function latencyMs(output: string, percent: number): number {
	const pattern = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s|m)\\s`);
	const [, number, unit = ""] = pattern.exec(output) ?? [];
	return Number(number) * ({ us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit] ?? 1);
}

function countFailed(output: string): number {
	const refused = /Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0;
	const broken = /Socket errors: (.*)/.exec(output)?.[1]?.match(/\d+/g) ?? [];
	return broken.reduce((sum, count) => sum + Number(count), Number(refused));
}
