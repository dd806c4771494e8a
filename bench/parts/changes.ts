import { Database } from "bun:sqlite";
import { isDeepStrictEqual } from "node:util";
import type { Bench } from "../bench.ts";
import { sizes } from "../generate.ts";
import type { Result } from "../goals.ts";
import { type Guest, readCompletions, readGuests } from "../guests.ts";
import { type Load, loadInTurns, requestsFile, type SentRequest } from "../load.ts";
import { type Running, startBare, startResort } from "../process.ts";
import { byProcessor, byRate, type Pair, printPairs } from "../report.ts";

const CONNECTIONS = 48;

const MESSAGE = "The lake is flat, and nobody asked me anything all day.";

/** Compares the most frequent changes with a bare server that makes each change in a separate transaction. */
export async function changes({ seconds, rounds, folder, ...bench }: Bench): Promise<Result[]> {
	const databases = [await bench.database(sizes.usual), await bench.database(sizes.usual)] as const;
	const groups = changesOf(databases[0]);
	const servers = [await startResort(databases[0]), await startBare("writes", databases[1])] as const;
	await requireSameRows(servers, databases, groups);
	const pairs: Pair[] = [];
	for (const [what, changes] of Object.entries(groups)) {
		const requests = await requestsFile(folder, changes);
		const order = what === IN_AND_OUT ? "turns" : "random";
		const loads = servers.map(
			(server): Load => ({ server, requests, order, seconds, connections: CONNECTIONS }),
		);
		const [ours = [], theirs = []] = await loadInTurns(loads, rounds);
		pairs.push({ what, ours, theirs });
	}
	await Promise.all(servers.map((server) => server.stop()));
	printPairs(
		`changes over ${CONNECTIONS} connections, each on disk before it is answered, beside a bare server with a transaction a request`,
		"bare",
		pairs,
	);
	return pairs.flatMap((pair): Result[] =>
		pair.what === "do"
			? [
					{ goal: "do", figures: byProcessor(pair) },
					{ goal: "doRate", figures: byRate(pair) },
				]
			: [{ goal: "change", of: pair.what, figures: byProcessor(pair) }],
	);
}

const IN_AND_OUT = "check-out and check-in";

function changesOf(database: string): Readonly<Record<string, readonly SentRequest[]>> {
	const guests = readGuests(database);
	const post = ({ apiKey }: Guest, path: string, body?: object): SentRequest => ({
		method: "POST",
		path,
		headers: { authorization: `Bearer ${apiKey}` },
		body,
	});
	return {
		do: guests.map((guest) => post(guest, "/api/activities/tidepool-float/do")),
		vote: readCompletions(database).flatMap(([guest, id]) =>
			[1, 2, 3, 4, 5].map((rating) => post(guest, `/api/experiences/${id}/vote`, { rating })),
		),
		postcard: guests.map((guest) => post(guest, "/api/postcards", { message: MESSAGE, mood: "serene" })),
		// All guests check out before the first one checks in again, so that no guest has two concurrent calls.
		[IN_AND_OUT]: ["/api/checkout", "/api/checkin"].flatMap((path) =>
			guests.map((guest) => post(guest, path)),
		),
	};
}

/** Requires that both servers write the same rows for the same requests. @throws Error if the rows differ */
async function requireSameRows(
	servers: readonly Running[],
	databases: readonly string[],
	groups: Readonly<Record<string, readonly SentRequest[]>>,
): Promise<void> {
	// In the last group, the first half are check-outs, and the second half are check-ins.
	const samples = Object.values(groups).flatMap((group) => [group.at(0), group.at(group.length / 2)]);
	const [ours, theirs] = await Promise.all(
		servers.map(async ({ url }, at) => {
			for (const { path, headers, body } of samples.filter((sample) => sample !== undefined)) {
				const response = await fetch(url + path, {
					method: "POST",
					headers: { ...headers, "content-type": "application/json" },
					body: JSON.stringify(body ?? {}),
				});
				if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
			}
			return rowsOf(databases[at] ?? "");
		}),
	);
	if (!isDeepStrictEqual(ours, theirs)) {
		throw new Error(`the bare server writes other rows: ${JSON.stringify({ ours, theirs })}`);
	}
}

/** Returns the numbers of rows, the sums of counters, and the events with the names of their details. */
function rowsOf(database: string): unknown {
	using sqlite = new Database(database, { readonly: true });
	return [
		"SELECT count(*) FROM activity_log",
		"SELECT count(*), sum(rating) FROM experience_votes",
		"SELECT sum(rating_sum), sum(total_votes) FROM experiences",
		"SELECT count(*), count(mood) FROM postcards",
		"SELECT count(*), count(checked_out_at), sum(relaxation_points), sum(activities_completed), sum(postcards_sent), count(activity_ends_at) FROM stays",
		"SELECT sum(newest_stay), sum(rest_points) FROM agents",
		`SELECT type, agent_id, recipient_id, creator_id, subject_id LIKE 'exp-%',
			(SELECT group_concat(key) FROM json_each(details)) FROM events ORDER BY id`,
	].map((sql) => sqlite.query(sql).values());
}
