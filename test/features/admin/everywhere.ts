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

/** A path, and the media type of its response. */
type PublicCall = readonly [path: string, accept: string];

/** Returns the calls of all public GET operations with each of their queries, and with the existing ids. */
function publicCalls({ operations, unlisted }: Answering, things: Things): PublicCall[] {
	const { agents, experienceIds: experiences, postcardIds: postcards, reviewIds: reviews } = things;
	const ids = agents.map(({ id }) => id);
	const idsOf: Readonly<Record<string, readonly string[] | undefined>> = { experiences, postcards, reviews };
	const pathsOf = (path: string) => {
		const [, kind = ""] = /(\w+)\/:id/.exec(path) ?? [];
		return ["", ...(queries[path] ?? [])]
			.map((query) => (path + query).replace(":slug", ROOM.toLowerCase().replace(" ", "-")))
			.flatMap((one) =>
				/:id|AGENT/.test(one) ? (idsOf[kind] ?? ids).map((id) => one.replace(/:id|AGENT/, id)) : [one],
			);
	};
	return (
		[...operations, ...unlisted]
			// `own` means that a call needs a credential only with `creatorId=me`, which this function never sends.
			.filter(({ method, credential }) => method === "GET" && ["none", "own"].includes(credential))
			.filter(({ path }) => !ALWAYS_THE_SAME.test(path))
			.flatMap(({ path, byAccept, mediaTypes: [first = "application/json"] = [] }) => {
				const paths = path === "/api/agents/status" ? [`${path}?ids=${ids}`] : pathsOf(path);
				return paths.map((one): PublicCall => [one, byAccept ?? first]);
			})
	);
}

/** Reads all public responses, each in the media type of its operation. Returns the texts by path. */
export async function readEverywhere(context: Answering, things: Things): Promise<Map<string, string>> {
	const found = new Map<string, string>();
	for (const [path, accept] of publicCalls(context, things)) {
		const { text } = await context.call("GET", path, { headers: { accept } });
		found.set(`${path} as ${accept}`, text);
	}
	return found;
}

/** Returns the paths whose response contains a text. */
export function placesOf(read: Map<string, string>, text: string): string[] {
	return [...read].filter(([, told]) => told.includes(text)).map(([at]) => at);
}
