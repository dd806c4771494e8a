import { join } from "node:path";
import { pickOne } from "../../src/core/lib/random.ts";
import { seededRandom } from "../../src/features/testing/seeded-random.ts";
import { resortAt, toRequest } from "../support/calls.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { memoryMib } from "../support/processes.ts";
import { Answers } from "./answers.ts";
import { nextAddress } from "./caller.ts";
import { Crowd, type Role, type Self } from "./crowd.ts";
import { guest } from "./guest.ts";
import { type Part, percentile, serveApart } from "./part.ts";

const clock = join(import.meta.dir, "day-a-minute.ts");
const GUESTS = 2_000;
/** A guest's pause between calls: ten calls in a simulated day of 60 s, plus reads that check its writes. */
const PAUSE_MS = 6_000;
const DAY_MS = 60_000;
const SAMPLES_A_DAY = 6;
/** The minimum number of days for judging growth. In a shorter run, the caches are still growing. */
const LEAST_DAYS = 25;
/** The factor by which memory may grow from a run's third fifth to its last: garbage needs some room. */
const MOST_TIMES = 1.05;
/** The duration of a guest's streams and waiting calls. */
const LISTEN_SECONDS = 10;

/** The paths that guests read, and the paths that other programs read about a guest. */
const reads: readonly ((self: Self, crowd: Crowd) => string)[] = [
	() => "/api/me/overview",
	() => "/api/postcards/inbox?limit=20",
	() => "/api/lobby",
	() => "/api/experiences/leaderboard",
	() => "/feed.atom",
	({ id }) => `/agents/${id}/badge.svg`,
	({ id }, { random }) => `/api/agents?search=${id.slice(-2 - random.below(7))}`,
	(_, { random }) => `/api/experiences?sort=popular&offset=${random.below(99)}`,
	(_, { random }) => `/api/events?types=agent.did&since=${random.below(9_999)}`,
	(_, { random, agents }) =>
		`/api/agents/status?ids=${Array.from({ length: 20 }, () => pickOne(random, agents))}`,
	({ id }) => `/api/agents/${id}/status?until=available&wait=${LISTEN_SECONDS}`,
];

/** The role of a guest that acts like `guest`, and also reads lists and pages and opens event streams. */
const resident: Role = {
	/** Guests register during the first day, so that they do not all call at the same time. */
	async register(crowd) {
		await Bun.sleep(crowd.random.below(DAY_MS));
		return guest.register(crowd);
	},
	act(crowd, self, stay) {
		const chance = crowd.random.below(200);
		if (chance === 0) return follow(crowd, self);
		if (chance > 50) return guest.act(crowd, self, stay);
		return read(crowd, self, pickOne(crowd.random, reads)(self, crowd));
	},
};

/** Measures the memory of a server with 2,000 guests and a fast clock: a day takes a minute. */
export const soak: Part = {
	name: "soak",
	about: "memory does not grow while 2,000 guests live for a month, a day in a minute",
	async run({ seed, goesOn }) {
		using folder = new TemporaryFolder();
		const place = { cwd: folder.path, env: { BUN_OPTIONS: `--preload=${clock}` } };
		const server = await serveApart("resort.sqlite", place, ["--log-level=warning"]);
		const answers = new Answers();
		const random = seededRandom(seed);
		const urls = [server.url];
		const calls = Number.POSITIVE_INFINITY;
		const crowd = new Crowd(answers, random, urls, resident, PAUSE_MS, calls);
		crowd.begin(GUESTS);
		const samples: number[] = [];
		let days = 0;
		for (; goesOn(days); days++) {
			for (let at = 0; at < SAMPLES_A_DAY; at++) {
				await Bun.sleep(DAY_MS / SAMPLES_A_DAY);
				samples.push(memoryMib(server.pid, "RssAnon"));
			}
		}
		await crowd.stop();
		const { exitCode, stderr } = await server.stop();
		const failures = [...answers.failures];
		if (exitCode !== 0) failures.push(`the server ends with ${exitCode}`);
		if (stderr !== "") failures.push(`logged: ${stderr.slice(0, 500)}`);
		const fifth = Math.ceil(samples.length / 5);
		const medians = [0, 1, 2, 3, 4].map((at) => percentile(samples.slice(at * fifth, (at + 1) * fifth), 0.5));
		const [, , middle = 0, , last = 0] = medians;
		if (days >= LEAST_DAYS && last > middle * MOST_TIMES) {
			failures.push(`memory grows from ${middle} to ${last} MiB`);
		}
		return {
			figures: [
				["days", `${days}`],
				["acknowledged writes", `${crowd.book.acknowledged}`],
				["memory, medians of the fifths (MiB)", medians.map((mib) => mib.toFixed(0)).join(" ")],
				["largest (MiB)", percentile(samples, 1).toFixed(0)],
			],
			failures,
		};
	},
};

async function read(crowd: Crowd, self: Self, path: string): Promise<void> {
	const { status } = await resortAt(crowd.urls[0] ?? "").call("GET", path, optionsOf(self));
	if (status >= 400) crowd.answers.fail(`${path}: ${status}`);
}

async function follow(crowd: Crowd, self: Self): Promise<void> {
	const path = pickOne(crowd.random, ["/api/events", "/api/me/events"]);
	const { key, headers } = optionsOf(self);
	const stream = { key, headers: { ...headers, accept: "text/event-stream" } };
	const response = await fetch(toRequest(crowd.urls[0] ?? "", "GET", path, stream));
	const reader = response.body?.getReader();
	const timer = setTimeout(() => reader?.cancel(), LISTEN_SECONDS * 1_000);
	while (!(await reader?.read())?.done);
	clearTimeout(timer);
	if (!response.ok) crowd.answers.fail(`${path}: ${response.status}`);
}

const optionsOf = ({ key }: Self) => ({ key, headers: { "x-forwarded-for": nextAddress() } });
