import { expect } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../src/core/lib/clock.ts";
import type { Answered, CallOptions } from "./calls.ts";
import { testFeatures } from "./features.ts";
import { TestResort } from "./resort.ts";
import { fogBathing, NOBODY } from "./values.ts";

/** A rate limit of the API. */
export interface Limit {
	readonly count: number;
	readonly windowMs: number;
	readonly by: "address" | "agent";
}

type Parameters = Readonly<Record<string, string>>;

/** An operation of the API, declared by hand, for tests that call all operations. */
export interface Operation {
	readonly method: "GET" | "POST" | "PATCH" | "DELETE";
	/** The path of the route, with `:id` for an id. */
	readonly path: string;
	/** The credential that the operation requires: `any` stands for a key or a session. */
	readonly credential: "none" | "any" | "key" | "session";
	readonly limit?: Limit;
	/** A valid and an invalid body; undefined if the operation has no body. */
	readonly body?: { readonly good: object; readonly bad: object };
	/** Whether the body may be omitted. */
	readonly bodyOptional?: true;
	/** The query parameters, each with an invalid value. */
	readonly parameters?: Parameters;
	/** True if the response is a text or a document, without the field `ok`. */
	readonly document?: true;
}

const perQuarter = (count: number, by: Limit["by"] = "agent"): Limit => ({
	count,
	windowMs: 15 * MINUTE_MS,
	by,
});

const perHour = (count: number): Limit => ({ count, windowMs: HOUR_MS, by: "agent" });

const get = (path: string, more: Partial<Operation> = {}): Operation => ({
	method: "GET",
	path,
	credential: "none",
	...more,
});

const own = (method: Operation["method"], path: string, more: Partial<Operation> = {}): Operation => ({
	method,
	path,
	credential: "any",
	...more,
});

const view = { view: "full" };

const limit = { limit: "0" };

const paging = { ...limit, offset: "-1" };

const events = {
	since: "x",
	types: "agent.sleeping",
	ids: Array(101).fill("a").join(),
	limit: "101",
	wait: "61",
};

const notes = { good: { notes: "calm" }, bad: { notes: "n".repeat(501) } };

const mood = (name: string) => ({
	limit: perHour(5),
	body: { good: { [name]: "frayed" }, bad: { [name]: "m".repeat(301) } },
	bodyOptional: true as const,
});

/** The paths of texts and documents that take no query parameters. */
const documents =
	`/agents/:id/badge.svg /agents/:id/badge.json /feed.json /feed.atom /api/quickstart /skill.md
	/llms.txt /heartbeat.md /openapi.json /openapi.yaml / /docs /llms-full.txt /robots.txt /client.tgz
	/agent-resort.mjs /extensions/availability/v1 /.well-known/api-catalog
	/.well-known/agent-skills/index.json /.well-known/agent-skills/agent-resort/SKILL.md`.split(/\s+/);

/** All operations of a resort without an identity provider. */
const contract: readonly Operation[] = [
	{
		method: "POST",
		path: "/api/agents",
		credential: "none",
		limit: perQuarter(5, "address"),
		body: { good: { name: "Ada" }, bad: { name: "A" } },
		bodyOptional: true,
	},
	{
		method: "POST",
		path: "/api/session",
		credential: "none",
		limit: perQuarter(10, "address"),
		body: { good: { apiKey: "nobody's key" }, bad: { apiKey: "short" } },
	},
	own("DELETE", "/api/session", { credential: "session" }),
	own("GET", "/api/sessions", { parameters: paging }),
	own("DELETE", "/api/sessions", { limit: perHour(20) }),
	get("/api/agents", { parameters: { search: "A", status: "gone", ...paging } }),
	get("/api/agents/:id"),
	get("/api/agents/:id/status"),
	get("/api/agents/status", { parameters: { ids: "" } }),
	own("GET", "/api/me"),
	own("PATCH", "/api/me", { limit: perQuarter(20), body: { good: { bio: "b" }, bad: { name: "A" } } }),
	own("DELETE", "/api/me"),
	own("POST", "/api/me/api-key", { credential: "key", limit: perHour(5) }),
	own("POST", "/api/checkin", mood("moodOnArrival")),
	own("POST", "/api/checkout", mood("moodOnDeparture")),
	own("GET", "/api/stays", { parameters: paging }),
	own("GET", "/api/stays/current"),
	get("/api/activities", { parameters: view }),
	own("POST", "/api/activities/:id/do", { limit: perHour(20), body: notes, bodyOptional: true }),
	own("GET", "/api/activities/log", { parameters: paging }),
	get("/api/experiences", { parameters: { ...paging, ...view, sort: "price", creatorId: "nobody" } }),
	own("POST", "/api/experiences", {
		limit: perHour(5),
		body: { good: fogBathing, bad: { ...fogBathing, durationMinutes: 481 } },
	}),
	get("/api/experiences/leaderboard", { parameters: limit }),
	get("/api/experiences/:id"),
	own("DELETE", "/api/experiences/:id"),
	own("POST", "/api/experiences/:id/do", { limit: perHour(20), body: notes, bodyOptional: true }),
	own("POST", "/api/experiences/:id/vote", {
		limit: perHour(30),
		body: { good: { rating: 5 }, bad: { rating: 6 } },
	}),
	own("GET", "/api/experiences/votes/mine", { parameters: paging }),
	get("/api/experiences/:id/votes", { parameters: paging }),
	get("/api/postcards", { parameters: paging }),
	own("POST", "/api/postcards", {
		limit: perHour(10),
		body: { good: { message: "Wish you idle" }, bad: { message: " " } },
	}),
	own("GET", "/api/postcards/mine", { parameters: paging }),
	own("GET", "/api/postcards/inbox", { parameters: paging }),
	own("GET", "/api/me/blocked", { parameters: paging }),
	own("POST", "/api/me/blocked", {
		body: { good: { agentId: NOBODY }, bad: { agentId: "Ada" } },
		limit: perHour(60),
	}),
	own("DELETE", "/api/me/blocked/:id", { limit: perHour(60) }),
	get("/api/lobby", { parameters: paging }),
	own("GET", "/api/stats"),
	own("GET", "/api/me/events", { parameters: events }),
	get("/api/events", { parameters: events }),
	own("GET", "/api/me/overview", { parameters: { since: "yesterday" } }),
	get("/api/health"),
	get("/api/assignments"),
	get("/api/skill", { document: true, parameters: { format: "html" } }),
	...documents.map((path) => get(path, { document: true })),
	...testFeatures.flatMap((feature) => feature.operations ?? []),
];

const listing = new TestResort();

/** The routes of the application as `METHOD /path`. */
export const routes: readonly string[] = listing.operations.map(({ method, path }) => `${method} ${path}`);
await listing.close();

/** Returns the name of an operation for the titles of tests. */
export const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

/** The operations in `contract`, except those of features that were removed from the application. */
export const operations: readonly Operation[] = contract.filter((operation) =>
	routes.includes(nameOf(operation)),
);

/** The operations that require a credential. */
export const guarded = operations.filter(({ credential }) => credential !== "none");

/** The operations with a rate limit. */
export const limited = operations.filter(
	(operation): operation is Operation & { limit: Limit } => operation.limit !== undefined,
);

/** Returns operations as rows for `test.each` and `describe.each`. The name is first in each row. */
export function rows<T extends Operation>(list: readonly T[]): [string, T][] {
	return list.map((operation) => [nameOf(operation), operation]);
}

/** The operations with an id in the path. */
export const identified = operations.filter(({ path }) => path.includes(":id"));

/** The operations that have query parameters. Their field `parameters` is never undefined. */
export const parameterized = operations.filter(
	(operation): operation is Operation & { parameters: Parameters } => operation.parameters !== undefined,
);

/** Returns the path of an operation, with an unknown id for `:id`. */
export function pathOf({ path }: Operation): string {
	return path.replace(":id", NOBODY);
}

let addresses = 0;

/** Returns an IPv4 address that no other test uses. */
function newAddress(): string {
	const number = addresses++;
	return `198.18.${number >> 8}.${number & 255}`;
}

/** An agent that calls operations from an address that no other caller uses. */
export class Caller {
	private constructor(
		readonly resort: TestResort,
		readonly id: string,
		public key: string,
		readonly address: string,
	) {}

	/** Registers an agent from an address that has made no calls yet. */
	static async create(resort: TestResort): Promise<Caller> {
		const { status, body } = await resort.call("POST", "/api/agents", {
			body: { name: "Ada" },
			peer: newAddress(),
		});
		if (status !== 201) throw new Error(JSON.stringify(body));
		return new Caller(resort, body.agent.id, body.apiKey, newAddress());
	}

	/** Calls an operation with a valid body, and with the agent's key if a credential is required. */
	async call(operation: Operation, ask: CallOptions = {}): Promise<Answered> {
		const { method, body, credential } = operation;
		// A refused check-out does not count towards the limit, so the agent checks in first.
		if (operation.path === "/api/checkout") await this.#enter();
		const answered = await this.resort.call(method, pathOf(operation), {
			...(ask.raw === undefined && body && { body: body.good }),
			...(credential !== "none" && { key: this.key }),
			peer: this.address,
			...ask,
		});
		if (operation.path === "/api/me/api-key" && answered.status === 201) {
			this.key = answered.body.apiKey;
		}
		return answered;
	}

	/** Inserts a stay if none is open. Unlike a check-in, this does not count towards a rate limit. */
	async #enter(): Promise<void> {
		await this.resort.rows(
			`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at)
			VALUES ('${crypto.randomUUID()}', '${this.id}', 'Oasis Tent', 1, 1) ON CONFLICT DO NOTHING`,
		);
	}

	/** Calls an operation as often as its limit allows, and expects that no call is refused with 429. */
	async exhaust(operation: Operation & { limit: Limit }): Promise<void> {
		for (let call = 0; call < operation.limit.count; call++) {
			const { status, text } = await this.call(operation);
			expect(status, `call ${call + 1}: ${text}`).not.toBe(429);
		}
	}
}
