import { join } from "node:path";
import { operations } from "../../src/cli/operations.ts";
import { pickOne, type Random } from "../../src/core/lib/random.ts";
import type { Operation } from "../../src/core/resort/operation.ts";
import { seededRandom } from "../../src/features/testing/seeded-random.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { memoryMib } from "../support/processes.ts";
import { fogBathing } from "../support/values.ts";
import type { Flood } from "./flood.ts";
import { type Options, type Part, percentile, type Report, serveApart } from "./part.ts";

const AGENTS = 300;

/** The size of a flood: its connections, its duration, and the number of its different requests. */
const FLOOD = { connections: 150, seconds: 4, requests: 2_000 };

/** The maximum effects of a flood. `moreMib` is the growth of the memory that the process has allocated. */
const MOST = { moreMib: 150, recoveryMs: 5_000 };

/** The server has recovered when `calls` successive calls take at most `ms` each. */
const CALM = { calls: 10, ms: 5, pauseMs: 5 };

const JSON_TYPE = "Content-Type: application/json\r\n";

const ORDINARY = { "x-forwarded-for": "198.51.100.7" };

/** A kind of request, and data that is sent repeatedly on each connection while the flood lasts. */
interface Kind {
	readonly name: string;
	readonly request: () => string;
	readonly drip?: string;
}

/** Floods from 150 addresses, and from a single one. */
export const abuseParts: readonly Part[] = [
	{
		name: "abuse",
		about: "floods by strangers neither hold up others nor take memory",
		run: (options) => floodInTurn(options, FLOOD.connections, 20),
	},
	{
		name: "abuse-network",
		about: "floods from one network neither hold up others nor take memory",
		run: (options) => floodInTurn(options, 1, 50),
	},
];

/**
 * Floods the server with one kind of request after another, while an ordinary client makes calls.
 * @param addresses the number of addresses that the requests come from
 * @param medianMs the maximum median duration of the ordinary client's calls, `GET /api/health`
 */
async function floodInTurn({ seed, stop }: Options, addresses: number, medianMs: number): Promise<Report> {
	using folder = new TemporaryFolder();
	const place = { cwd: folder.path };
	const ids = await fill(place);
	const server = await serveApart("resort.sqlite", place, ["--log-level=error"]);
	const figures: [string, string][] = [];
	const failures: string[] = [];
	const before = memoryMib(server.pid, "RssAnon");
	for (const kind of kindsOf(seededRandom(seed), ids, addresses)) {
		if (stop.aborted) break;
		const answers = flood(server.url, kind);
		const times = await probe(server.url, FLOOD.seconds);
		const [median, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
		const more = memoryMib(server.pid, "RssAnon") - before;
		const recoveryMs = await recovery(server.url);
		figures.push([
			kind.name,
			`${await answers} answers, health ${median.toFixed(1)} and ${p99.toFixed(0)} ms, ${more.toFixed(0)} MiB more, calm after ${recoveryMs.toFixed(0)} ms`,
		]);
		const fail = (what: string) => failures.push(`${kind.name}: ${what}`);
		if (!(median < medianMs)) fail(`the median is ${median.toFixed(1)} ms`);
		if (more > MOST.moreMib) fail(`${more} MiB more`);
		if (recoveryMs > MOST.recoveryMs) fail(`not calm after ${recoveryMs} ms`);
	}
	const { exitCode, stderr } = await server.stop();
	if (exitCode !== 0) failures.push(`the server ends with ${exitCode}`);
	if (stderr !== "") failures.push(`logged: ${stderr.slice(0, 500)}`);
	return { figures, failures };
}

/** Fills a database with guests and their data. Returns the ids of the guests. */
async function fill(place: { cwd: string }): Promise<string[]> {
	const server = await serveApart("resort.sqlite", place);
	const ids: string[] = [];
	for (let at = 0; at < AGENTS; at++) {
		const { id, key } = await server.guest({ name: `Guest ${at}` });
		ids.push(id);
		const post = (path: string, body: object) => server.send("POST", path, { key, body });
		await post("/api/postcards", { message: `Postcard ${at}` });
		await post("/api/experiences", { ...fogBathing, name: `Fog Bath ${at}`, category: `water ${at % 20}` });
	}
	await server.stop();
	return ids;
}

/** Returns the kinds of requests: every GET that needs no credential, and other requests of strangers. */
function kindsOf(random: Random, ids: readonly string[], addresses: number): Kind[] {
	const anyId = () => (random.below(2) === 0 ? pickOne(random, ids) : random.uuid(0));
	const values: Readonly<Record<string, () => string>> = {
		limit: () => `${1 + random.below(100)}`,
		offset: () => `${random.below(2_000)}`,
		since: () => "0",
		types: () => pickOne(random, ["agent.gone", "agent.did", "postcard.sent"]),
		ids: () => Array.from({ length: 20 }, anyId).join(),
		creatorId: anyId,
		category: () => `water ${random.below(1_000)}`,
		sort: () => pickOne(random, ["rating", "newest", "popular"]),
		view: () => "brief",
		deep: () => "true",
	};
	const head = (method: string, path: string, more = "") =>
		`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.${random.below(addresses)}\r\n${more}`;
	const get = (path: string, more = "") => `${head("GET", path, more)}\r\n`;
	const post = (path: string, body: string, more = JSON_TYPE) =>
		`${head("POST", path, more)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
	const filled = ({ path, query }: Operation) => {
		// Leaves out `until` and `wait`: a call with them is refused, or waits instead of reading data.
		const names = Object.keys(query?.properties ?? {}).filter((name) => !/^(until|wait)$/.test(name));
		const search = names.map((name) => {
			const value = values[name]?.() ?? `${random.below(1_000)}`;
			return `${name}=${encodeURIComponent(value)}`;
		});
		return `${path.replace(":id", anyId())}?${search.join("&")}`;
	};
	const gets = operations.filter(
		({ method, credential }) => method === "GET" && /^(none|own)$/.test(credential),
	);
	const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
	const secret = () => random.uuid(0).replaceAll("-", "");
	const key = () =>
		`Authorization: Bearer ar_${secret().slice(0, 12)}_${secret()}${secret().slice(0, 17)}\r\n`;
	const mcp = `${JSON_TYPE}Accept: application/json, text/event-stream\r\n`;
	const long = "X".repeat(200);
	const endless = `${JSON_TYPE}Content-Length: 60000\r\n\r\n{`;
	const others: Readonly<Record<string, () => string>> = {
		HEAD: () => `${head("HEAD", filled(pickOne(random, gets)))}\r\n`,
		"lists without limit": () => {
			const list = pickOne(random, ["lobby", "experiences", "postcards"]);
			return get(`/api/${list}?offset=${random.below(300)}`);
		},
		"event searches that wait": () => get(`/api/events?since=0&types=agent.gone&ids=${anyId()}&wait=1`),
		"invented keys": () => get("/api/me", key()),
		logins: () => post("/api/session", `{"apiKey":"ar_${secret()}"}`),
		"broken JSON": () => post("/api/agents", '{"name":'),
		registrations: () => post("/api/agents", `{"name":"${secret()}"}`),
		"unknown paths": () => get(`/${random.below(1_000_000)}/${long}`),
		"/mcp, the list of tools": () => post("/mcp", rpc("tools/list", {}), mcp),
		"/mcp, a tool": () => post("/mcp", rpc("tools/call", { name: "lobby", arguments: {} }), mcp),
		"/mcp, no message": () => post("/mcp", "[]", mcp),
		"/me with an invented session": () => get("/me", `Cookie: __Host-resort_session=${secret()}\r\n`),
		streams: () => get("/api/events", "Accept: text/event-stream\r\n"),
	};
	return [
		...gets.map((one) => ({ name: `GET ${one.path}`, request: () => get(filled(one)) })),
		...Object.entries(others).map(([name, request]) => ({ name, request })),
		{ name: "bodies that trickle", request: () => head("POST", "/api/agents", endless), drip: " " },
	];
}

/** Runs a flood in a separate process. Returns the number of its responses. */
async function flood(url: string, { request, drip = "" }: Kind): Promise<number> {
	const requests = Array.from({ length: FLOOD.requests }, request);
	const flood: Flood = { ...FLOOD, port: Number(new URL(url).port), requests, drip };
	const child = Bun.spawn([process.execPath, join(import.meta.dir, "flood.ts")], {
		stdin: Buffer.from(JSON.stringify(flood)),
		stdout: "pipe",
		stderr: "inherit",
		detached: true,
	});
	const { answers } = JSON.parse(await new Response(child.stdout).text());
	return answers;
}

/** Calls GET /api/health for a number of seconds. Returns the duration of each call in milliseconds. */
async function probe(url: string, seconds: number): Promise<number[]> {
	const times: number[] = [];
	const endMs = performance.now() + seconds * 1_000;
	while (performance.now() < endMs) {
		times.push(await health(url));
		await Bun.sleep(CALM.pauseMs);
	}
	return times;
}

/** Waits until the server has recovered, see {@link CALM}. Returns the milliseconds that this took. */
async function recovery(url: string): Promise<number> {
	const startedMs = performance.now();
	for (;;) {
		const sinceMs = performance.now() - startedMs;
		let calm = 0;
		while (calm < CALM.calls && (await health(url)) <= CALM.ms) calm++;
		if (calm === CALM.calls || sinceMs > 2 * MOST.recoveryMs) return sinceMs;
	}
}

async function health(url: string): Promise<number> {
	const startedMs = performance.now();
	const response = await fetch(`${url}/api/health`, { headers: ORDINARY });
	await response.arrayBuffer();
	return response.ok ? performance.now() - startedMs : Number.POSITIVE_INFINITY;
}
