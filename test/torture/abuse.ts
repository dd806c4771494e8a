import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Guest } from "../../bench/rows.ts";
import { seededRandom } from "../../src/lib/seeded-random.ts";
import { Connection } from "../support/connection.ts";
import { temporaryFolder } from "../support/executable.ts";
import { type Community, EXPERIENCES, makeCommunity } from "./abuse-ground.ts";
import { counted, memoryMib, percentile } from "./figures.ts";
import type { Options, Part, Report } from "./part.ts";
import { serveApart } from "./server.ts";

const CONNECTIONS = 10;

/** Requests with long heads, which must leave nothing behind. */
const REQUESTS = 300_000;
const MAX_GROWTH_MIB = 100;

/** Readers that read nothing; what waits for one address is bounded by 64 MiB, and its lists lie beside it. */
const READERS = 300;
const MAX_WAITING_MIB = 250;

const FLOOD_SECONDS = 10;
const MAX_MEDIAN_MS = 10;

/**
 * How often a list is made while nothing else is asked for but health, and how long nobody may wait in the median,
 * beyond what the machine alone makes health wait.
 */
const MAKINGS = 9;
const MAX_STRETCH_MS = 10;

const ASKING_AT_ONCE = 50;

/** Callers that make the service work or remember for nothing, against 10,000 experiences and with limits. */
export const abuse: Part = {
	name: "abuse",
	about:
		"junk, floods and silent readers neither fill the memory nor keep others waiting",
	async run(options: Options): Promise<Report> {
		using folder = temporaryFolder();
		const database = join(folder.path, "resort.sqlite");
		const community = await makeCommunity(database, options.seed);
		const figures = new Map<string, string>();
		const failures: string[] = [];
		for (let round = 0; options.goesOn(round); round++) {
			const server = await serveApart(
				["serve", "--port", "0", "--database", database].concat(
					["--rate-limits", "on"],
					["--log-level", "warning"],
				),
				{ cwd: folder.path },
			);
			const scene: Scene = {
				port: Number(new URL(server.url).port),
				pid: server.pid,
				random: seededRandom(options.seed + round),
				community,
				tell: (label, value) => figures.set(label, value),
				fail: (failure) => failures.push(failure),
			};
			for (const scenario of [remember, wait, makeOnce, make, flood]) {
				if (options.stop.aborted) break;
				await scenario(scene);
				options.progress(`round ${round + 1}, ${scenario.name}`);
			}
			const { exitCode, stderr } = await server.stop();
			if (exitCode !== 0) failures.push(`the server ends with ${exitCode}`);
			if (stderr !== "") failures.push(`logged: ${stderr.slice(0, 500)}`);
		}
		return { figures: [...figures], failures };
	},
};

interface Scene {
	readonly port: number;
	readonly pid: number;
	readonly random: ReturnType<typeof seededRandom>;
	readonly community: Community;
	tell(label: string, value: string): void;
	fail(failure: string): void;
}

/** Targets of requests by which a careless memory grows; each is another one. */
const junk: readonly ((at: number, agentId: string) => string)[] = [
	(at) => `/api/postcards?${at}`,
	(at) => `/api/experiences?category=${at}%E2%98%80&limit=100`,
	(at) => `/api/experiences/leaderboard?limit=1&category=%F0%9F%8C%B4${at}`,
	(at) => `/api/experiences?offset=${at}&limit=1`,
	(at) => `/api/experiences?limit=0${1 + (at % 100)}&offset=${at % 9_000}`,
	(at, id) => `/api/agents/${oddly(id, at)}/status`,
	(at, id) => `/api/agents/${id}?${at}`,
	(at) => `/api/agents/${at}/status`,
	(at) => `/${at}`,
];

/** An id in which some characters are escaped, or all of upper case. */
function oddly(id: string, at: number): string {
	return [...id]
		.map((character, place) =>
			(at >> (place % 16)) % 2 === 1
				? `%${character.charCodeAt(0).toString(16)}`
				: at % 3 === 0
					? character.toUpperCase()
					: character,
		)
		.join("");
}

/** Many different requests with long heads. */
async function remember(scene: Scene): Promise<void> {
	const { port, pid, community, tell, fail } = scene;
	const agentId = community.guests[0]?.id ?? "";
	const host = `${"h".repeat(240)}.test`;
	const filler = Array.from(
		{ length: 3 },
		(_, at) => `x-filler-${at}: ${"f".repeat(4_500)}\r\n`,
	).join("");
	const request = (at: number) => {
		const target = junk[at % junk.length]?.(at, agentId);
		return `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${filler}x-forwarded-for: ${at}\r\n\r\n`;
	};
	await load(port, 5_000, (at) => request(at % junk.length));
	const before = memoryMib(pid);
	const startedMs = performance.now();
	await load(port, REQUESTS, request);
	const seconds = (performance.now() - startedMs) / 1_000;
	const growth = memoryMib(pid) - before;
	tell("requests with long heads", counted(REQUESTS));
	tell("a second", counted(Math.round(REQUESTS / seconds)));
	tell("memory before them", `${before.toFixed(0)} MiB`);
	tell("memory that they took", `${growth.toFixed(0)} MiB`);
	if (growth > MAX_GROWTH_MIB) {
		fail(`${REQUESTS} requests took ${growth.toFixed(0)} MiB`);
	}
}

/** Readers that read nothing: of one list, of lists of their own, of small answers asked for again and again. */
async function wait(scene: Scene): Promise<void> {
	const { port, pid, tell, fail } = scene;
	const manners: Record<string, (at: number) => string> = {
		"of one list": () => get("/api/experiences"),
		"of the lobby": () => get("/api/lobby"),
		"of a list of their own": (at) =>
			get(`/api/experiences?offset=${9_001 + at}`),
		"of 200 pages each": (at) =>
			get(`/api/experiences?limit=50&offset=${at}`).repeat(200),
	};
	for (const [name, manner] of Object.entries(manners)) {
		const before = memoryMib(pid);
		const readers = Array.from({ length: READERS }, (_, at) =>
			readNothing(port, manner(at)),
		);
		await Bun.sleep(6_000);
		const growth = memoryMib(pid) - before;
		for (const reader of readers) reader.destroy();
		tell(
			`memory for ${READERS} silent readers ${name}`,
			`${growth.toFixed(0)} MiB`,
		);
		if (growth > MAX_WAITING_MIB) {
			fail(`silent readers ${name} took ${growth.toFixed(0)} MiB`);
		}
		await Bun.sleep(500);
	}
}

/** Sends a request and never reads. */
function readNothing(port: number, request: string): Socket {
	const socket = connect({ port, host: "127.0.0.1" });
	socket.on("error", () => {});
	socket.pause();
	socket.write(request);
	return socket;
}

/** Many ask at once for a list that is not ready: made more than twice for one address, it would be refused. */
async function makeOnce(scene: Scene): Promise<void> {
	const { port, tell, fail } = scene;
	await endLists(scene);
	const connections = Array.from(
		{ length: ASKING_AT_ONCE },
		() => new Connection(port),
	);
	const startedMs = performance.now();
	const heads = await Promise.all(
		connections.map((one) => one.ask(get("/api/experiences"))),
	);
	const tookMs = performance.now() - startedMs;
	for (const one of connections) one.destroy();
	const etags = new Set(heads.map(({ text }) => /etag: \S+/i.exec(text)?.[0]));
	tell(`${ASKING_AT_ONCE} ask for one list at once`, `${tookMs.toFixed(0)} ms`);
	if (heads.some(({ status }) => status !== 200) || etags.size !== 1) {
		fail(`a list for ${ASKING_AT_ONCE} was not made once`);
	}
}

/** Long answers are made while health is asked for again and again. */
async function make(scene: Scene): Promise<void> {
	const { port, community, tell, fail } = scene;
	const own = bearer(community.guests[0]);
	const answers: Record<string, string> = {
		nothing: get("/api/health"),
		"the list": get("/api/experiences"),
		"the list, zstd": get("/api/experiences", "Accept-Encoding: zstd\r\n"),
		"the list, gzip": get("/api/experiences", "Accept-Encoding: gzip\r\n"),
		"the lobby": get("/api/lobby"),
		"20,000 votes": get(`/api/experiences/${community.experience}/votes`),
		"10,000 postcards": get("/api/postcards/inbox", own),
	};
	let machineMs = 0;
	const connection = new Connection(port);
	for (const [name, request] of Object.entries(answers)) {
		const longest: number[] = [];
		for (let at = 0; at < MAKINGS; at++) {
			await endLists(scene);
			await Bun.sleep(1_100);
			const watching = health(port, 1, 0);
			await Bun.sleep(400);
			const { status } = await connection.ask(request);
			if (status !== 200) fail(`${name}: ${status}`);
			longest.push((await watching).longest);
		}
		const ms = percentile(longest, 0.5);
		if (name === "nothing") machineMs = ms;
		tell(`nobody is answered while ${name} is made`, `${ms.toFixed(1)} ms`);
		if (ms > machineMs + MAX_STRETCH_MS) {
			fail(`${name}: nobody is answered for ${ms.toFixed(1)} ms`);
		}
	}
	connection.destroy();
}

/** Requests in a loop over each of 10 connections, while another asks for health every 20 ms. */
async function flood(scene: Scene): Promise<void> {
	const { port, random, community, tell, fail } = scene;
	const some = (bound: number) => random.below(bound);
	const own = bearer(community.guests[0]);
	const commas = ",;".repeat(7_000);
	const floods: Record<string, () => string> = {
		"HEAD of the list": () => head("/api/experiences"),
		"HEAD of the lobby": () => head("/api/lobby"),
		"GET with random parameters": () =>
			get(
				`/api/experiences?x=${some(1_000_000_000)}&limit=${1 + some(100)}&sort=${["rating", "newest", "popular"][some(3)]}&offset=${some(EXPERIENCES)}`,
			),
		"HEAD with a junk parameter": () =>
			head(`/api/experiences?${some(1_000_000_000)}`),
		"?offset=<n>": () => get(`/api/experiences?offset=${some(EXPERIENCES)}`),
		"?offset=<n>, a page": () =>
			get(`/api/experiences?offset=${EXPERIENCES - 999 + some(999)}`),
		"the same, compressed": () =>
			get(
				`/api/experiences?offset=${EXPERIENCES - 999 + some(999)}`,
				`Accept-Encoding: ${["gzip", "zstd"][some(2)]}, x${some(1_000)}\r\n`,
			),
		"the leaderboard": () =>
			get(
				`/api/experiences/leaderboard?limit=${1 + some(100)}&category=category%20${some(20)}`,
			),
		"a caller's own postcards": () => head("/api/postcards/inbox", own),
		"Accept-Encoding of 14 KB": () =>
			get("/api/activities", `Accept-Encoding: ${commas}\r\n`),
		"If-None-Match of 14 KB": () =>
			get("/api/activities", `If-None-Match: ${commas}\r\n`),
		"Accept of 14 KB": () => get("/", `Accept: ${commas}\r\n`),
	};
	for (const [name, request] of Object.entries(floods)) {
		let isOver = false;
		const statuses = new Map<number, number>();
		const flooding = load(
			port,
			Number.POSITIVE_INFINITY,
			() => (isOver ? null : request()),
			statuses,
		);
		const { p50, p99 } = await health(port, FLOOD_SECONDS, 20);
		isOver = true;
		await flooding;
		const answered = [...statuses]
			.sort()
			.map(([status, count]) => `${status}: ${counted(count)}`);
		tell(`health beside ${name}`, `${p50.toFixed(1)} / ${p99.toFixed(1)} ms`);
		tell("  answered", answered.join(", "));
		if (p50 > MAX_MEDIAN_MS) {
			fail(`beside ${name} the median of health is ${p50.toFixed(1)} ms`);
		}
	}
}

/** Ends every list by news of a guest, each time of another one. */
async function endLists({ port, community }: Scene): Promise<void> {
	const connection = new Connection(port);
	const guest = community.guests.pop();
	const { status } = await connection.ask(
		`POST /api/activities/tidepool-float/do HTTP/1.1\r\nHost: resort.test\r\n${bearer(guest)}Content-Length: 0\r\n\r\n`,
	);
	if (status !== 201) throw new Error(`an activity is answered ${status}`);
	connection.destroy();
}

function bearer(guest: Guest | undefined): string {
	return `Authorization: Bearer ${guest?.apiKey}\r\n`;
}

/**
 * Sends so many requests, some at a time.
 * @param request by its number; null for no more
 */
async function load(
	port: number,
	count: number,
	request: (at: number) => string | null,
	statuses = new Map<number, number>(),
): Promise<void> {
	let sent = 0;
	const work = async () => {
		let connection = new Connection(port);
		while (sent < count) {
			const text = request(sent++);
			if (text === null) break;
			const { status } = await connection.ask(text);
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
			if (connection.isOver) connection = new Connection(port);
		}
		connection.destroy();
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

interface Health {
	readonly p50: number;
	readonly p99: number;
	readonly longest: number;
}

/** Asks for health in another process; the figures are milliseconds. */
async function health(
	port: number,
	seconds: number,
	pauseMs: number,
): Promise<Health> {
	const program = join(import.meta.dir, "abuse-health.ts");
	const child = Bun.spawn(
		[process.execPath, program, ...[port, seconds, pauseMs].map(String)],
		{ stdout: "pipe", stderr: "inherit", detached: true },
	);
	return JSON.parse(await new Response(child.stdout).text());
}

function get(target: string, fields = ""): string {
	return `GET ${target} HTTP/1.1\r\nHost: resort.test\r\n${fields}\r\n`;
}

function head(target: string, fields = ""): string {
	return `HEAD ${target} HTTP/1.1\r\nHost: resort.test\r\n${fields}\r\n`;
}
