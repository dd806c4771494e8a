import { join } from "node:path";
import { pickOne, type Random } from "../../src/core/lib/random.ts";
import { seededRandom } from "../../src/features/testing/seeded-random.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { memoryMib } from "../support/processes.ts";
import { fogBathing } from "../support/values.ts";
import type { Flood } from "./flood.ts";
import { type Part, percentile, serveApart } from "./part.ts";

const AGENTS = 300;

/** The size of a flood: its connections, its duration, and the number of its different requests. */
const FLOOD = { connections: 150, seconds: 4, requests: 2_000 };

/** The maximum effects of a flood. The memory is what the process has allocated. */
const MOST = { medianMs: 20, moreMib: 150, recoveryMs: 5_000 };

/**
 * The server has recovered when this number of successive calls, with pauses between them, takes at most this
 * time each.
 */
const CALM = { calls: 10, ms: 5, pauseMs: 5 };

const ORDINARY = { "x-forwarded-for": "198.51.100.7" };

/** A kind of request, and the data that is also sent after each request. */
interface Kind {
	readonly name: string;
	readonly request: () => string;
	readonly drip?: string;
}

interface Parameter {
	readonly in: string;
	readonly name: string;
}

interface Get {
	readonly security?: readonly object[];
	readonly parameters?: readonly Parameter[];
}

/** Sends one kind of request after the other from 150 addresses, while an ordinary client makes calls. */
export const abuse: Part = {
	name: "abuse",
	about: "floods by strangers neither hold up others nor take memory",
	async run({ seed, stop }) {
		using folder = new TemporaryFolder();
		const place = { cwd: folder.path };
		const ids = await fill(place);
		const server = await serveApart("resort.sqlite", place, ["--log-level=error"]);
		const figures: [string, string][] = [];
		const failures: string[] = [];
		const before = memoryMib(server.pid, "RssAnon");
		const kinds = await kindsOf(server.url, seededRandom(seed), ids);
		for (const kind of kinds) {
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
			if (!(median < MOST.medianMs)) {
				failures.push(`${kind.name}: the median is ${median.toFixed(1)} ms`);
			}
			if (more > MOST.moreMib) failures.push(`${kind.name}: ${more} MiB more`);
			if (recoveryMs > MOST.recoveryMs) {
				failures.push(`${kind.name}: not calm after ${recoveryMs} ms`);
			}
		}
		const { exitCode, stderr } = await server.stop();
		if (exitCode !== 0) failures.push(`the server ends with ${exitCode}`);
		if (stderr !== "") failures.push(`logged: ${stderr.slice(0, 500)}`);
		return { figures, failures };
	},
};

/** Fills a database with guests and their data. Returns the ids. */
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

/**
 * Returns the kinds of floods: every GET that needs no credential, and other requests without a valid
 * credential.
 */
async function kindsOf(url: string, random: Random, ids: readonly string[]): Promise<Kind[]> {
	const response = await fetch(`${url}/openapi.json`);
	const { paths } = (await response.json()) as { paths: Record<string, { get?: Get }> };
	const anyId = () => (random.below(2) === 0 ? pickOne(random, ids) : random.uuid(0));
	const valueFor = ({ name }: Parameter): string => {
		const values: Readonly<Record<string, () => string>> = {
			limit: () => `${1 + random.below(100)}`,
			offset: () => `${random.below(2_000)}`,
			since: () => "0",
			types: () => pickOne(random, ["agent.gone", "agent.did", "postcard.sent"]),
			ids: () => Array.from({ length: 20 }, anyId).join(),
			id: anyId,
			creatorId: anyId,
			category: () => `water ${random.below(1_000)}`,
			sort: () => pickOne(random, ["rating", "newest", "popular"]),
			view: () => "brief",
			deep: () => "true",
		};
		return values[name]?.() ?? `${random.below(1_000)}`;
	};
	const head = (method: string, path: string, more = "") =>
		`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.${random.below(FLOOD.connections)}\r\n${more}`;
	const get = (path: string, more = "") => `${head("GET", path, more)}\r\n`;
	const post = (path: string, body: string, more = "") =>
		`${head("POST", path, `Content-Type: application/json\r\n${more}`)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
	const filled = (path: string, parameters: readonly Parameter[]) => {
		const search = parameters.flatMap((one) => {
			// Leaves out `until` and `wait`: a call with only one of them is refused without reading a status.
			const waits = ["until", "wait"].includes(one.name);
			const isGiven = one.in === "query" && !waits;
			return isGiven ? [`${one.name}=${encodeURIComponent(valueFor(one))}`] : [];
		});
		const named = path.replaceAll(/\{(\w+)\}/g, (_, name) => valueFor({ in: "path", name }));
		return `${named}?${search.join("&")}`;
	};
	const gets = Object.entries(paths).flatMap(([path, { get: operation }]) => {
		const isPublic = operation?.security?.some((one) => Object.keys(one).length === 0);
		const needsNone = operation?.security?.length === 0 || isPublic;
		const parameters = operation?.parameters ?? [];
		return needsNone ? [{ path, parameters }] : [];
	});
	const rpc = (method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
	const secret = () => random.uuid(0).replaceAll("-", "");
	const key = () =>
		`Authorization: Bearer ar_${secret().slice(0, 12)}_${secret()}${secret().slice(0, 17)}\r\n`;
	const mcp = "Accept: application/json, text/event-stream\r\n";
	const long = "X".repeat(200);
	const anyGet = () => {
		const { path, parameters } = pickOne(random, gets);
		return filled(path, parameters);
	};
	const use = { name: "lobby", arguments: {} };
	const json = "Content-Type: application/json\r\n";
	const endless = `${json}Content-Length: 60000\r\n\r\n{`;
	const others: Readonly<Record<string, () => string>> = {
		HEAD: () => `${head("HEAD", anyGet())}\r\n`,
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
		"/mcp, a tool": () => post("/mcp", rpc("tools/call", use), mcp),
		"/mcp, no message": () => post("/mcp", "[]", mcp),
		"/me with an invented session": () => get("/me", `Cookie: __Host-resort_session=${secret()}\r\n`),
		streams: () => get("/api/events", "Accept: text/event-stream\r\n"),
	};
	return [
		...gets.map(({ path, parameters }) => ({
			name: `GET ${path}`,
			request: () => get(filled(path, parameters)),
		})),
		...Object.entries(others).map(([name, request]) => ({ name, request })),
		{ name: "bodies that trickle", request: () => head("POST", "/api/agents", endless), drip: " " },
	];
}

/** Runs a flood in a separate process. Returns the number of its responses. */
async function flood(url: string, { request, drip = "" }: Kind): Promise<number> {
	const flood: Flood = {
		port: Number(new URL(url).port),
		connections: FLOOD.connections,
		seconds: FLOOD.seconds,
		requests: Array.from({ length: FLOOD.requests }, request),
		drip,
	};
	const program = join(import.meta.dir, "flood.ts");
	const child = Bun.spawn([process.execPath, program], {
		stdin: Buffer.from(JSON.stringify(flood)),
		stdout: "pipe",
		stderr: "inherit",
		detached: true,
	});
	const { answers } = JSON.parse(await new Response(child.stdout).text());
	return answers;
}

/**
 * Calls GET /api/health repeatedly for a number of seconds. Returns the duration of each call in
 * milliseconds.
 */
async function probe(url: string, seconds: number): Promise<number[]> {
	const times: number[] = [];
	const endMs = performance.now() + seconds * 1_000;
	while (performance.now() < endMs) {
		times.push(await health(url));
		await Bun.sleep(CALM.pauseMs);
	}
	return times;
}

/**
 * Waits until calls are as fast as before the flood. Returns the milliseconds until the first of these calls.
 */
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
