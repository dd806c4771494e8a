import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { readGuests } from "../guests.ts";
import { loadInTurns } from "../load.ts";
import { startBare, startResort } from "../process.ts";
import { type RecordedRequest, recordAnswers } from "../record-answers.ts";
import { compare, type Pair, type Verdict } from "../report.ts";
import { requestsFile, type SentRequest } from "../requests.ts";

const GOAL = 0.95;

/** The number of agents whose statuses the load requests. All of these are in the resort's cache. */
const AGENTS = 1_000;

const LIST = { "accept-encoding": "gzip" };

const overviewCall = JSON.stringify({
	jsonrpc: "2.0",
	id: 1,
	method: "tools/call",
	params: { name: "overview", arguments: {} },
});

/**
 * What the resort answers from its cache, and the overview over MCP, which it does not cache. Beside each is
 * a bare server that repeats the same answers.
 */
export async function cached({ options, ...bench }: Bench): Promise<Verdict[]> {
	const { database, ids, guests } = await bench.database(options.main);
	const [guest] = readGuests(guests);
	const agents = readFileSync(ids, "utf8").split("\n", AGENTS);
	const mcp: RecordedRequest = {
		path: "/mcp",
		headers: {
			accept: "application/json, text/event-stream",
			authorization: `Bearer ${guest?.apiKey}`,
			"content-type": "application/json",
		},
		body: overviewCall,
	};
	const groups: (readonly [string, readonly RecordedRequest[], number | null])[] = [
		["status", agents.map((id) => ({ path: `/api/agents/${id}/status` })), GOAL],
		["lobby", [{ path: "/api/lobby", headers: LIST }], GOAL],
		["experiences", [{ path: "/api/experiences", headers: LIST }], GOAL],
		["postcards", [{ path: "/api/postcards", headers: LIST }], GOAL],
		["activities", [{ path: "/api/activities", headers: LIST }], GOAL],
		["skill", [{ path: "/api/skill", headers: LIST }], GOAL],
		["/ as HTML", [{ path: "/", headers: { ...LIST, accept: "text/html" } }], GOAL],
		["MCP overview", [mcp], null],
	];
	const resort = await startResort(database);
	const answers = join(bench.folder, "answers");
	const recorded = groups.flatMap(([, requests]) => requests);
	await recordAnswers(resort, recorded.map(uncompressed), answers);
	const floor = await startBare("floor", answers);
	const pairs: Pair[] = [];
	for (const [what, requests, goal] of groups) {
		const file = await requestsFile(bench.folder, requests.map(sent));
		const script = ["requests", file, "random"] as const;
		const [ours = [], theirs = []] = await loadInTurns(
			[resort, floor].map((server) => ({ server, script, seconds: options.seconds })),
			options.rounds,
		);
		pairs.push({ what, ours, theirs, goal });
	}
	await Promise.all([resort.stop(), floor.stop()]);
	return compare("answers from the cache", "bare server, same answers", pairs);
}

function uncompressed(request: RecordedRequest): RecordedRequest {
	const headers = { ...request.headers, "accept-encoding": "identity" };
	return { ...request, headers };
}

function sent({ path, headers = {}, body }: RecordedRequest): SentRequest {
	const method = body === undefined ? "GET" : "POST";
	return { method, path, headers, ...(body !== undefined && { body }) };
}
