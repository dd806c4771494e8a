import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Body } from "../support/body.ts";
import { temporaryFolder } from "../support/executable.ts";
import { counted, memoryMib, percentile } from "./figures.ts";
import type { Part, Report } from "./part.ts";
import { serveApart } from "./server.ts";
import { Day } from "./soak-day.ts";
import { plot } from "./soak-plot.ts";

/** A round, and the time between two requests of it. */
const ROUND_MS = 10_000;
const PER_SECOND = 250;
const ROUND_REQUESTS = (ROUND_MS / 1_000) * PER_SECOND;
const MAX_FAILURES = 20;
/** How far the memory of the last quarter may be above that of the middle. */
const MAX_GROWTH_MIB = 24;

/** What was measured in a round. */
interface Sample {
	readonly minutes: number;
	readonly requests: number;
	readonly p50: number;
	readonly p99: number;
	readonly memory: number;
	readonly file: number;
}

/** Lets agents come, rest and go for as long as it takes, and watches what it costs. */
export const soak: Part = {
	name: "soak",
	about: `a day of ${PER_SECOND} requests a second costs the same all day; a round is ${ROUND_MS / 1_000} s; draws bench/soak.svg`,
	async run({ seed, goesOn, progress }) {
		using folder = temporaryFolder();
		const server = await serveApart(
			["serve", "--port", "0", "--rate-limits", "off"],
			{ cwd: folder.path, env: { RESORT_LOG_LEVEL: "warning" } },
		);
		const day = new Day(seed);
		const failures: string[] = [];
		const samples: Sample[] = [];
		const startedAt = performance.now();
		for (let done = 0; failures.length === 0 && goesOn(done); done++) {
			const tookMs = await round(server.url, day, failures);
			samples.push({
				minutes: (performance.now() - startedAt) / 60_000,
				requests: tookMs.length,
				p50: percentile(tookMs, 0.5),
				p99: percentile(tookMs, 0.99),
				memory: memoryMib(server.pid),
				file: folderMib(folder.path),
			});
			progress(`${counted((done + 1) * ROUND_REQUESTS)} requests`);
		}
		const { exitCode, stderr } = await server.stop();
		if (exitCode !== 0) failures.push(`the server ended with ${exitCode}`);
		if (stderr !== "") failures.push(`it logged ${stderr.slice(0, 2_000)}`);
		await Bun.write(
			join(import.meta.dir, "../../bench/soak.svg"),
			draw(samples),
		);
		return judge(samples, failures.slice(0, MAX_FAILURES));
	},
};

/** Sends the requests of a round, each at its time, whether or not others have been answered. */
async function round(
	url: string,
	day: Day,
	failures: string[],
): Promise<number[]> {
	const tookMs: number[] = [];
	const send = async (): Promise<void> => {
		const { method, path, key, body, learn } = day.next();
		const startedAt = performance.now();
		const response = await fetch(url + path, {
			method,
			headers: {
				...(body && { "content-type": "application/json" }),
				...(key !== undefined && { authorization: `Bearer ${key}` }),
			},
			body: body ? JSON.stringify(body) : null,
		});
		const told = (await response.json()) as Body;
		tookMs.push(performance.now() - startedAt);
		if (response.ok) learn?.(told);
		if (response.status >= 500) {
			failures.push(`${method} ${path}: ${response.status}`);
		}
	};
	const open = new Set<Promise<void>>();
	const startedAt = performance.now();
	for (let sent = 0; sent < ROUND_REQUESTS; sent++) {
		const early = startedAt + (sent * 1_000) / PER_SECOND - performance.now();
		if (early > 1) await Bun.sleep(early);
		const one = send()
			.catch((error) => void failures.push(String(error)))
			.finally(() => open.delete(one));
		open.add(one);
	}
	await Promise.all(open);
	return tookMs;
}

function folderMib(path: string): number {
	const bytes = readdirSync(path).reduce(
		(sum, name) => sum + statSync(join(path, name)).size,
		0,
	);
	return bytes / 2 ** 20;
}

function judge(samples: readonly Sample[], failures: string[]): Report {
	const memory = samples.map((sample) => sample.memory);
	const quarter = Math.ceil(samples.length / 4);
	const middle = memory.slice(quarter, 3 * quarter);
	const growth =
		percentile(memory.slice(-quarter), 0.5) - percentile(middle, 0.5);
	if (growth > MAX_GROWTH_MIB) {
		failures.push(`memory grew by ${growth.toFixed(0)} MiB towards the end`);
	}
	const step = Math.max(1, Math.ceil(samples.length / 12));
	const shown = samples.filter((_, at) => (at + 1) % step === 0);
	const requests = samples.reduce((sum, one) => sum + one.requests, 0);
	return {
		figures: [
			["requests", counted(requests)],
			["minutes", "p50, p99, memory, file"],
			...shown.map(
				({ minutes, p50, p99, memory, file }) =>
					[
						minutes.toFixed(1),
						`${p50.toFixed(1)} ms ${p99.toFixed(1)} ms ${memory.toFixed(0)} MiB ${file.toFixed(1)} MiB`,
					] as const,
			),
			["memory, last quarter over the middle", `${growth.toFixed(1)} MiB`],
		],
		failures,
	};
}

function draw(samples: readonly Sample[]): string {
	const curve = (name: string, value: (sample: Sample) => number) => ({
		name,
		values: samples.map(value),
	});
	return plot(
		`A day at the resort: ${PER_SECOND} requests a second, 5 of 100 write`,
		samples.map(({ minutes }) => minutes),
		[
			{
				title: "answered within, ms",
				curves: [
					curve("50 of 100", ({ p50 }) => p50),
					curve("99 of 100", ({ p99 }) => p99),
				],
			},
			{ title: "memory, MiB", curves: [curve("RSS", ({ memory }) => memory)] },
			{
				title: "database file and its log, MiB",
				curves: [curve("size", ({ file }) => file)],
			},
		],
	);
}
