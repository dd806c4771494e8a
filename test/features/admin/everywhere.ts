import type { Operation } from "../../../src/core/resort/operation.ts";
import type { CallOptions, Registered } from "../../support/calls.ts";

interface Answering {
	readonly operations: readonly Operation[];
	/** The operations that return HTML pages. The documents for agents do not list these operations. */
	readonly unlisted: readonly Operation[];
	call(method: string, path: string, ask?: CallOptions): Promise<{ readonly text: string }>;
}

/** The things whose ids replace `:id` in paths. */
export interface Things {
	readonly agents: readonly Registered[];
	readonly experienceIds: readonly string[];
	readonly postcardIds?: readonly string[];
	readonly reviewIds?: readonly string[];
}

/** The kind of room whose page is read. */
export const ROOM = "Owl Hollow";

/** The query strings with which each path is read, in addition to a call without a query. */
const queries: Readonly<Record<string, readonly string[]>> = {
	"/api/activities": ["?view=brief"],
	"/api/experiences": [
		"?view=brief",
		"?sort=newest",
		"?sort=popular",
		"?category=water",
		"?limit=1",
		"?limit=1&offset=1",
		"?creatorId=AGENT",
	],
	"/api/experiences/leaderboard": ["?category=water&limit=3"],
	"/api/postcards": ["?limit=1", "?limit=100&offset=1"],
	"/api/events": [
		"?since=0",
		"?since=0&limit=100",
		"?since=0&ids=AGENT",
		"?since=0&types=agent.did,experience.created,experience.archived,postcard.sent",
	],
	"/experiences": ["?sort=newest", "?page=2"],
	"/board": ["?page=2"],
};

/** Matches the paths of large responses that do not depend on the database. */
const ALWAYS_THE_SAME = /^\/(client|docs|openapi|llms|skill|\.well-known)|\.\w+$/;

/** Returns the paths of all public GET operations with each of their queries, and with the existing ids. */
function publicPaths({ operations, unlisted }: Answering, things: Things): string[] {
	const { agents, experienceIds: experiences, postcardIds: postcards, reviewIds: reviews } = things;
	const ids = agents.map(({ id }) => id);
	const idsOf: Readonly<Record<string, readonly string[] | undefined>> = { experiences, postcards, reviews };
	return (
		[...operations, ...unlisted]
			// `own` means that a call needs a credential only with `creatorId=me`, which this function never sends.
			.filter(({ method, credential }) => method === "GET" && ["none", "own"].includes(credential))
			.filter(({ path }) => !ALWAYS_THE_SAME.test(path))
			.flatMap(({ path }) =>
				path === "/api/agents/status"
					? [`${path}?ids=${ids}`]
					: ["", ...(queries[path] ?? [])].map((query) => path + query),
			)
			.flatMap((path) => {
				const [, kind = ""] = /(\w+)\/:id/.exec(path) ?? [];
				const isOfOne = /:id|AGENT/.test(path);
				return isOfOne ? (idsOf[kind] ?? ids).map((id) => path.replace(/:id|AGENT/, id)) : [path];
			})
			.map((path) => path.replace(":slug", ROOM.toLowerCase().replace(" ", "-")))
	);
}

/** Reads all public responses, as JSON and as HTML. Returns the texts by path. */
export async function readEverywhere(context: Answering, things: Things): Promise<Map<string, string>> {
	const found = new Map<string, string>();
	for (const path of publicPaths(context, things)) {
		for (const accept of ["application/json", "text/html"]) {
			const { text } = await context.call("GET", path, { headers: { accept } });
			found.set(`${path} as ${accept}`, text);
		}
	}
	return found;
}

/** Returns the paths whose response contains a text. */
export function placesOf(read: Map<string, string>, text: string): string[] {
	return [...read].filter(([, told]) => told.includes(text)).map(([at]) => at);
}
