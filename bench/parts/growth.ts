import { Database } from "bun:sqlite";
import type { Fetch } from "../../src/core/http/app.ts";
import { openStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import { applicationOn } from "../application.ts";
import type { Bench } from "../bench.ts";
import { sizes } from "../generate.ts";
import { goals, type Result } from "../goals.ts";
import { type Guest, readCompletions, readGuests, readIds } from "../guests.ts";
import { inTurns, median } from "../load.ts";
import { isHeld, printTable, spread } from "../report.ts";

const EVENTS = 1_000_000;

/** A search reads all names, because no index supports it. So its time may grow with the number of agents. */
const SEARCH_BY_NAME = "GET /api/agents?search=";

/** How often each operation is called in a round. */
const CALLS = 20;

/** A database and the application that serves it, without a network and without rate limits. */
interface Community {
	readonly fetch: Fetch;
	/** The ids of all agents. */
	readonly ids: readonly string[];
	readonly guests: readonly Guest[];
	/** The ids of experiences. */
	readonly experiences: readonly string[];
	/** The ids of experiences with 3 to 5 votes. */
	readonly rated: readonly string[];
	/** The ids of public postcards. */
	readonly postcards: readonly string[];
	/** The experiences that guests have completed. */
	readonly completions: readonly (readonly [guest: Guest, id: string])[];
	/** The id of the newest event. */
	readonly cursor: number;
}

/** A call, without a credential if `key` is missing. */
interface Call {
	readonly method: "GET" | "POST" | "PATCH" | "DELETE";
	readonly path: string;
	readonly key?: string;
	readonly body?: object;
	readonly accept?: string;
}

/** Returns a call to measure, after making the calls that it requires. `count` is different each time. */
type CreateCall = (community: Community, count: number) => Call | Promise<Call>;

/**
 * Compares the processor time of every operation with a thousand agents to that with a million agents, a
 * million events and 10,000 experiences, without a network. Each call of a list has another path, so that the
 * list does not come from the cache.
 */
export async function growth(bench: Bench): Promise<Result[]> {
	const small = await open(await bench.database(sizes.thousand), 0);
	const large = await open(await bench.database(sizes.million), EVENTS);
	const rows: string[][] = [];
	const results: Result[] = [];
	let count = 0;
	for (const [of, create] of Object.entries(operations)) {
		const time = async (community: Community) => {
			const times: number[] = [];
			for (let call = 0; call < CALLS; call++) {
				times.push(await timeCall(community, create, ++count));
			}
			return median(times);
		};
		for (const community of [small, large]) await time(community);
		const [before = [], after = []] = await inTurns([small, large], bench.rounds, time);
		const figures = after.map((us, round) => us / (before[round] ?? Number.NaN));
		const ratio = median(figures).toFixed(2);
		rows.push([of, median(before).toFixed(0), median(after).toFixed(0), ratio, spread(figures)]);
		if (of !== SEARCH_BY_NAME) results.push({ goal: "growth", of, figures });
	}
	printTable(
		"processor time of a call in us, without a network",
		["", "1,000 agents", "1,000,000", "ratio", "spread"],
		rows,
	);
	// If all operations reach the goal, reports only the one that grows most.
	const sorted = results.toSorted((a, b) => median(b.figures) - median(a.figures));
	return sorted.filter(({ figures }, at) => at === 0 || !isHeld(goals.growth, median(figures)));
}

/** Opens a database. @param events the number of events that are inserted first */
async function open(database: string, events: number): Promise<Community> {
	if (events > 0) insertEvents(database, events);
	return {
		fetch: await applicationOn(openStore(database)),
		ids: readIds(database, "agents"),
		guests: readGuests(database),
		experiences: readIds(database, "experiences LIMIT 10000"),
		rated: readIds(database, "experiences WHERE total_votes BETWEEN 3 AND 5 LIMIT 10000"),
		postcards: readIds(database, "postcards WHERE recipient_id IS NULL LIMIT 10000"),
		completions: readCompletions(database),
		cursor: events,
	};
}

/** Inserts public events of the first 5,000 agents, nine tenths of them of 100 agents. */
function insertEvents(database: string, count: number): void {
	using sqlite = new Database(database);
	sqlite.run(
		`INSERT INTO events (type, at, agent_id, details)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
		SELECT 'agent.did', ${Date.now()}, agents.id, '{"activityId":"tidepool-float","name":"Tidepool Float","category":"water","relaxationPoints":4}'
		FROM n JOIN agents ON agents.seq = 1 + iif(i % 10, i % 100, i % 5000)`,
	);
}

/**
 * Returns the processor time of a call in microseconds, which excludes the time spent waiting for the disk.
 */
async function timeCall(community: Community, create: CreateCall, count: number): Promise<number> {
	const call = await create(community, count);
	const before = process.cpuUsage();
	await send(community, call);
	const { user, system } = process.cpuUsage(before);
	return user + system;
}

/** Makes a call, and returns the body of the response. @throws Error if the status is not 2xx */
async function send({ fetch }: Community, { method, path, key, body, accept }: Call): Promise<string> {
	const response = await fetch(
		new Request(`http://resort.test${path}`, {
			method,
			headers: {
				...(key !== undefined && { authorization: `Bearer ${key}` }),
				...(body && { "content-type": "application/json" }),
				...(accept !== undefined && { accept }),
			},
			...(body && { body: JSON.stringify(body) }),
		}),
	);
	const text = await response.text();
	if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
	return text;
}

function pick<T>(items: readonly T[]): T {
	const item = items[Math.floor(Math.random() * items.length)];
	if (item === undefined) throw new Error("there is nothing to choose from");
	return item;
}

const read =
	(path: (community: Community, count: number) => string): CreateCall =>
	(community, count) => ({ method: "GET", path: path(community, count) });

/**
 * Returns the path of a page of about 20 entries. The path differs each time, so that the page is not cached.
 */
const pageOf = (path: string, offset = 0) =>
	read((_, count) => `${path}limit=${15 + (count % 11)}&offset=${offset + (count % 60)}`);

/**
 * Creates calls whose paths may repeat. A vote and a postcard before each call invalidate cached responses.
 */
const afterChanges =
	(path: string | ((community: Community) => string), accept?: string): CreateCall =>
	async (community, count) => {
		await send(community, vote(community, count));
		await send(community, {
			method: "POST",
			path: "/api/postcards",
			key: pick(community.guests).apiKey,
			body: CARD,
		});
		return {
			method: "GET",
			path: typeof path === "string" ? path : path(community),
			...(accept !== undefined && { accept }),
		};
	};

function vote({ completions }: Community, count: number): Call {
	const [{ apiKey: key }, id] = pick(completions);
	return { method: "POST", path: `/api/experiences/${id}/vote`, key, body: { rating: 1 + (count % 5) } };
}

const html =
	(path: (community: Community) => string): CreateCall =>
	(community) => ({ method: "GET", path: path(community), accept: HTML });

const byGuest =
	(
		method: Call["method"],
		path: string | ((community: Community, count: number) => string),
		body?: (community: Community) => object,
	): CreateCall =>
	(community, count) => ({
		method,
		path: typeof path === "string" ? path : path(community, count),
		key: pick(community.guests).apiKey,
		...(body && { body: body(community) }),
	});

/** Registers an agent that the call to measure may change permanently. */
async function newcomer(community: Community): Promise<Guest> {
	const call = { method: "POST", path: "/api/agents", body: NAMED } as const;
	const { agent, apiKey } = JSON.parse(await send(community, call));
	return { id: agent.id, apiKey };
}

const byNewcomer =
	(method: Call["method"], path: string, ...before: readonly string[]): CreateCall =>
	async (community) => {
		const { apiKey: key } = await newcomer(community);
		for (const earlier of before) {
			await send(community, { method: "POST", path: earlier, key });
		}
		return { method, path, key };
	};

const HTML = "text/html";
const NAMED = { name: "Juniper Drift" };
const CARD = { message: "The lake is flat, and nobody asked me anything." };
const EXPERIENCE = {
	name: "Naming the Clouds",
	category: "Category 7",
	description: "Give every passing cloud a name.",
	location: "South Lawn",
	durationMinutes: 20,
};

/** All operations that use the database, except those for webhooks, because these call other servers. */
const operations: Readonly<Record<string, CreateCall>> = {
	"POST /api/agents": () => ({ method: "POST", path: "/api/agents", body: NAMED }),
	"GET /api/agents/:id": read(({ ids }) => `/api/agents/${pick(ids)}`),
	"GET /api/agents/:id/status": read(({ ids }) => `/api/agents/${pick(ids)}/status`),
	"GET /api/agents/status, 20 agents": read(
		({ ids }) => `/api/agents/status?ids=${Array.from({ length: 20 }, () => pick(ids))}`,
	),
	"GET /api/agents": pageOf("/api/agents?"),
	"GET /api/agents?status=relaxing": pageOf("/api/agents?status=relaxing&"),
	[SEARCH_BY_NAME]: read((_, count) => `/api/agents?search=Agent ${count}`),
	"GET /api/lobby": pageOf("/api/lobby?"),
	"GET /agents/:id/badge.svg": read(({ ids }) => `/agents/${pick(ids)}/badge.svg`),
	"GET /api/me": byGuest("GET", "/api/me"),
	"PATCH /api/me": byGuest("PATCH", "/api/me", () => ({ bio: `Counts waves since ${Date.now()}.` })),
	"DELETE /api/me": byNewcomer("DELETE", "/api/me"),
	"POST /api/me/api-key": byNewcomer("POST", "/api/me/api-key"),
	"GET /api/me/overview": byGuest("GET", "/api/me/overview"),
	"GET /api/stats": byGuest("GET", "/api/stats"),
	"POST /api/session": (community) => ({
		method: "POST",
		path: "/api/session",
		body: { apiKey: pick(community.guests).apiKey },
	}),
	"GET /api/sessions": byGuest("GET", "/api/sessions?limit=20"),
	"DELETE /api/sessions": byGuest("DELETE", "/api/sessions"),
	"POST /api/checkin": byNewcomer("POST", "/api/checkin"),
	"POST /api/checkout": byNewcomer("POST", "/api/checkout", "/api/checkin"),
	"GET /api/stays": byGuest("GET", "/api/stays?limit=20"),
	"GET /api/stays/current": byGuest("GET", "/api/stays/current"),
	"POST /api/activities/:id/do": byGuest("POST", "/api/activities/tidepool-float/do"),
	"GET /api/activities/log": byGuest("GET", "/api/activities/log?limit=20"),
	"GET /api/experiences": pageOf("/api/experiences?"),
	"GET /api/experiences?sort=newest": pageOf("/api/experiences?sort=newest&"),
	"GET /api/experiences?sort=popular": pageOf("/api/experiences?sort=popular&"),
	// In the small database, a category has 10 experiences.
	"GET /api/experiences?category=": read(
		(_, count) =>
			`/api/experiences?category=category%20${count % 19}&limit=${3 + (count % 3)}&offset=${count % 5}`,
	),
	"GET /api/experiences?creatorId=": read(({ ids }) => `/api/experiences?limit=20&creatorId=${pick(ids)}`),
	"GET /api/experiences/leaderboard": afterChanges("/api/experiences/leaderboard?limit=20"),
	"GET /api/experiences/:id": afterChanges(({ experiences }) => `/api/experiences/${pick(experiences)}`),
	"GET /api/experiences/:id/votes": afterChanges(
		({ rated }) => `/api/experiences/${pick(rated)}/votes?limit=2`,
	),
	"POST /api/experiences": byGuest("POST", "/api/experiences", () => EXPERIENCE),
	"DELETE /api/experiences/:id": async (community) => {
		const { apiKey: key } = pick(community.guests);
		const path = "/api/experiences";
		const create = { method: "POST", path, key, body: EXPERIENCE } as const;
		const { experience } = JSON.parse(await send(community, create));
		return { method: "DELETE", path: `${path}/${experience.id}`, key };
	},
	"POST /api/experiences/:id/do": byGuest(
		"POST",
		({ experiences }) => `/api/experiences/${pick(experiences)}/do`,
	),
	"POST /api/experiences/:id/vote": vote,
	"GET /api/experiences/votes/mine": byGuest("GET", "/api/experiences/votes/mine?limit=20"),
	"GET /api/postcards": pageOf("/api/postcards?"),
	"GET /api/postcards?offset=1500": pageOf("/api/postcards?", 1_500),
	"POST /api/postcards": byGuest("POST", "/api/postcards", () => CARD),
	"POST /api/postcards, private": byGuest("POST", "/api/postcards", ({ guests }) => ({
		...CARD,
		recipientId: pick(guests).id,
	})),
	"GET /api/postcards/mine": byGuest("GET", "/api/postcards/mine?limit=20"),
	"GET /api/postcards/inbox": byGuest("GET", "/api/postcards/inbox?limit=20"),
	"POST /api/me/blocked": async (community) => {
		const { apiKey: key } = await newcomer(community);
		const body = { agentId: pick(community.ids) };
		return { method: "POST", path: "/api/me/blocked", key, body };
	},
	"GET /api/me/blocked": byGuest("GET", "/api/me/blocked?limit=20"),
	"GET /api/events?types=": read(
		({ cursor }, count) =>
			`/api/events?since=${Math.max(0, cursor - 200 - (count % 60))}&types=agent.did&limit=20`,
	),
	"GET /api/events?ids=": read(
		({ cursor, guests }) => `/api/events?since=${Math.max(0, cursor - 200)}&ids=${pick(guests).id}&limit=20`,
	),
	"GET /api/me/events": byGuest(
		"GET",
		({ cursor }) => `/api/me/events?since=${Math.max(0, cursor - 200)}&limit=20`,
	),
	"GET /feed.json": afterChanges("/feed.json"),
	"GET / as HTML": afterChanges("/", HTML),
	"GET /experiences as HTML": afterChanges("/experiences", HTML),
	"GET /postcards/:id as HTML": html(({ postcards }) => `/postcards/${pick(postcards)}`),
	"GET /agents/:id as HTML": html(({ ids }) => `/agents/${pick(ids)}`),
	"GET /experiences/:id as HTML": afterChanges(({ rated }) => `/experiences/${pick(rated)}`, HTML),
};
