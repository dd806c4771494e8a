import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import type { Bench } from "../bench.ts";
import { loadInTurns } from "../load.ts";
import { startBare, startResort } from "../process.ts";
import { compare, type Pair, type Verdict } from "../report.ts";
import { requestsFile, type SentRequest } from "../requests.ts";

const GOAL = 2.5;

interface Group {
	readonly what: string;
	readonly requests: readonly SentRequest[];
	/** Whether the requests are sent in their order, or at random. */
	readonly order: "turns" | "random";
}

/** The most frequent changes, beside a bare server that makes each in a transaction of its own. */
export async function changes(bench: Bench): Promise<Verdict[]> {
	const { main, seconds, rounds } = bench.options;
	const [first, second] = [
		await bench.database(main),
		await bench.database(main),
	];
	const groups = changesOf(first.database, first.guests);
	const resort = await startResort(first.database);
	const bare = await startBare("writes", second.database, second.guests);
	const pairs: Pair[] = [];
	for (const { what, requests, order } of groups) {
		// Each server has a file of its own, because a run continues where the previous run on the same server ended.
		const loads = [resort, bare].map(async (server) => {
			const file = await requestsFile(bench.folder, requests);
			const script = ["requests", file, order] as const;
			return { server, seconds, script };
		});
		const [ours = [], theirs = []] = await loadInTurns(
			await Promise.all(loads),
			rounds,
		);
		pairs.push({ what, ours, theirs, goal: GOAL });
	}
	await Promise.all([resort.stop(), bare.stop()]);
	return compare(
		"changes, 32 clients, each on disk before it is answered",
		"bare server, a transaction a request",
		pairs,
	);
}

/** @param guestsFile the ids and keys of all guests */
function changesOf(database: string, guestsFile: string): Group[] {
	const keys = new Map(
		readFileSync(guestsFile, "utf8")
			.trim()
			.split("\n")
			.map((line) => line.split(" ") as [string, string]),
	);
	const post = (agentId: string, path: string, body?: object): SentRequest => ({
		method: "POST",
		path,
		headers: {
			authorization: `Bearer ${keys.get(agentId)}`,
			...(body && { "content-type": "application/json" }),
		},
		...(body && { body: JSON.stringify(body) }),
	});
	const guests = [...keys.keys()];
	const message = "The lake is flat, and nobody asked me anything all day.";
	return [
		{
			what: "do",
			requests: guests.map((id) => {
				return post(id, "/api/activities/tidepool-float/do");
			}),
			order: "random",
		},
		{
			what: "vote",
			requests: completions(database).flatMap(([id, experience]) =>
				[1, 2, 3, 4, 5].map((rating) =>
					post(id, `/api/experiences/${experience}/vote`, { rating }),
				),
			),
			order: "random",
		},
		{
			what: "postcard",
			requests: guests.map((id) => {
				return post(id, "/api/postcards", { message, mood: "serene" });
			}),
			order: "random",
		},
		{
			// All guests check out before the first one checks in again, so that no guest has two calls at the same time.
			what: "check-out, check-in",
			requests: ["/api/checkout", "/api/checkin"].flatMap((path) =>
				guests.map((id) => post(id, path)),
			),
			order: "turns",
		},
	];
}

/** The experiences that guests have completed, as pairs of an agent's and an experience's id. */
function completions(database: string): [string, string][] {
	using sqlite = new Database(database, { readonly: true });
	return sqlite
		.query<{ agent_id: string; experience_id: string }, []>(
			`SELECT DISTINCT agent_id, experience_id FROM activity_log WHERE experience_id IS NOT NULL
			AND agent_id IN (SELECT agent_id FROM stays WHERE checked_out_at IS NULL)`,
		)
		.all()
		.map((row) => [row.agent_id, row.experience_id]);
}
