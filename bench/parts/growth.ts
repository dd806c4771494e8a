import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import type { Fetch } from "../../src/core/http/app.ts";
import { openStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import { applicationOn } from "../application.ts";
import type { Bench } from "../bench.ts";
import { type Guest, readCompletions, readGuests } from "../guests.ts";
import { insertEvents } from "../insert-events.ts";
import { inTurns, median } from "../load.ts";
import type { Size } from "../options.ts";
import { atMost, printTable, type Verdict } from "../report.ts";

const MOST_TIMES = 1.3;

/** The guests, and the events of the large community. */
const GUESTS = 500;
const EVENTS = 1_000_000;

/** How often each operation is called in a round. */
const CALLS = 20;

/** A community and the application that serves it, without a network and without limits. */
interface Community {
	readonly fetch: Fetch;
	/** The ids of all agents. */
	readonly ids: readonly string[];
	readonly guests: readonly Guest[];
	/** The ids of experiences. */
	readonly experiences: readonly string[];
	/** The ids of public postcards. */
	readonly postcards: readonly string[];
	/** The experiences that guests have completed. */
	readonly completions: readonly (readonly [guest: Guest, id: string])[];
	/** The newest event. */
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

/** Returns a call to measure; what the call requires is done before. `count` is another number each time. */
type CreateCall = (community: Community, count: number) => Call | Promise<Call>;

/**
 * The cost of every operation in a community of 1,000 agents and in one of `--large` agents with 1,000,000
 * events and 10,000 experiences, without a network. Paths differ from call to call, so that lists do not come
 * from the cache.
 */
export async function growth({ options, ...bench }: Bench): Promise<Verdict[]> {
	const small = await open(bench, { ...options.small, guests: GUESTS }, 0);
	const large = await open(
		bench,
		{ ...options.large, guests: GUESTS, experiences: 10_000, votes: 200_000, postcards: 100_000 },
		EVENTS,
	);
	const rows: string[][] = [];
	const growths: { readonly what: string; readonly ratio: number }[] = [];
	let count = 0;
	for (const [what, create] of Object.entries(operations)) {
		const time = async (community: Community) => {
			const times: number[] = [];
			for (let call = 0; call < CALLS; call++) {
				times.push(await timeCall(community, create, ++count));
			}
			return median(times);
		};
		for (const community of [small, large]) await time(community);
		const [before = [], after = []] = await inTurns([small, large], options.rounds, time);
		const ratio = median(after.map((us, round) => us / (before[round] ?? Number.NaN)));
		rows.push([what, median(before).toFixed(0), median(after).toFixed(0), ratio.toFixed(2)]);
		growths.push({ what, ratio });
	}
	printTable(
		"us a call, without a network",
		["", `${options.small.agents} agents`, `${options.large.agents}`, "ratio"],
		rows,
	);
	// If all operations reach the goal, the one that grows most stands for them.
	const [greatest, ...others] = growths.toSorted((a, b) => b.ratio - a.ratio);
	const missed = others.filter(({ ratio }) => ratio > MOST_TIMES);
	return [...(greatest === undefined ? [] : [greatest]), ...missed].map(({ what, ratio }) =>
		atMost(what, ratio, MOST_TIMES, "x"),
	);
}

async function open(bench: Omit<Bench, "options">, size: Size, events: number): Promise<Community> {
	const { database, ids, guests } = await bench.database(size);
	if (events > 0) insertEvents(database, events);
	const lines = (file: string) => readFileSync(file, "utf8").trim().split("\n");
	const agents = readGuests(guests);
	using sqlite = new Database(database, { readonly: true });
	const idsOf = (sql: string) =>
		sqlite
			.query<{ id: string }, []>(sql)
			.all()
			.map(({ id }) => id);
	return {
		fetch: await applicationOn(openStore(database), true),
		ids: lines(ids),
		guests: agents,
		experiences: idsOf("SELECT id FROM experiences LIMIT 10000"),
		postcards: idsOf("SELECT id FROM postcards WHERE recipient_id IS NULL LIMIT 10000"),
		completions: readCompletions(database, agents),
		cursor: events,
	};
}

/** Returns the duration of a call, in microseconds. */
async function timeCall(community: Community, create: CreateCall, count: number): Promise<number> {
	const call = await create(community, count);
	const startedAt = Bun.nanoseconds();
	await send(community, call);
	return (Bun.nanoseconds() - startedAt) / 1000;
}

/** @returns the text of the response; @throws Error if it is not 2xx */
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

/** A page of 20 entries, another one each time. */
const pageOf = (path: string) => read((_, count) => `${path}limit=20&offset=${count % 60}`);

const html =
	(path: (community: Community) => string): CreateCall =>
	(community) => ({ method: "GET", path: path(community), accept: "text/html" });

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

/** Registers an agent, which the call to measure may change for good. */
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

const NAMED = { name: "Juniper Drift" };
const CARD = { message: "The lake is flat, and nobody asked me anything." };
const EXPERIENCE = {
	name: "Naming the Clouds",
	category: "Category 7",
	description: "Give every passing cloud a name.",
	location: "South Lawn",
	durationMinutes: 20,
};

/** Every operation that reads or writes the database, except those of webhooks, which call other servers. */
const operations: Readonly<Record<string, CreateCall>> = {
	"POST /api/agents": () => ({ method: "POST", path: "/api/agents", body: NAMED }),
	"GET /api/agents/:id": read(({ ids }) => `/api/agents/${pick(ids)}`),
	"GET /api/agents/:id/status": read(({ ids }) => `/api/agents/${pick(ids)}/status`),
	"GET /api/agents/status, 20 agents": read(
		({ ids }) => `/api/agents/status?ids=${Array.from({ length: 20 }, () => pick(ids))}`,
	),
	"GET /api/agents": pageOf("/api/agents?"),
	"GET /api/agents?status=relaxing": pageOf("/api/agents?status=relaxing&"),
	"GET /api/agents?search=": read((_, count) => `/api/agents?search=Agent ${count}`),
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
	"GET /api/experiences?category=": pageOf("/api/experiences?category=category%207&"),
	"GET /api/experiences?creatorId=": read(({ ids }) => `/api/experiences?limit=20&creatorId=${pick(ids)}`),
	"GET /api/experiences/leaderboard": read(
		(_, count) => `/api/experiences/leaderboard?limit=${1 + (count % 100)}`,
	),
	"GET /api/experiences/:id": read(({ experiences }) => `/api/experiences/${pick(experiences)}`),
	"GET /api/experiences/:id/votes": read(
		({ experiences }) => `/api/experiences/${pick(experiences)}/votes?limit=20`,
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
	"POST /api/experiences/:id/vote": ({ completions }, count) => {
		const [{ apiKey: key }, id] = pick(completions);
		const body = { rating: 1 + (count % 5) };
		return { method: "POST", path: `/api/experiences/${id}/vote`, key, body };
	},
	"GET /api/experiences/votes/mine": byGuest("GET", "/api/experiences/votes/mine?limit=20"),
	"GET /api/postcards": pageOf("/api/postcards?"),
	"GET /api/postcards?offset=1500": read(
		(_, count) => `/api/postcards?limit=20&offset=${1_500 + (count % 60)}`,
	),
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
	"GET /feed.json": read((_, count) => `/feed.json?${count}`),
	"GET / as HTML": html(() => "/"),
	"GET /experiences as HTML": html(() => "/experiences"),
	"GET /postcards/:id as HTML": html(({ postcards }) => `/postcards/${pick(postcards)}`),
	"GET /agents/:id as HTML": html(({ ids }) => `/agents/${pick(ids)}`),
	"GET /experiences/:id as HTML": html(({ experiences }) => `/experiences/${pick(experiences)}`),
};
