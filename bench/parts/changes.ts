import type { Bench } from "../bench.ts";
import { type Guest, readCompletions, readGuests } from "../guests.ts";
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
	const [first, second] = [await bench.database(main), await bench.database(main)];
	const groups = changesOf(first.database, first.guests);
	const resort = await startResort(first.database);
	const bare = await startBare("writes", second.database, second.guests);
	const pairs: Pair[] = [];
	for (const { what, requests, order } of groups) {
		// Each server has a file of its own, because a run continues where the previous run on the same server
		// ended.
		const loads = [resort, bare].map(async (server) => {
			const file = await requestsFile(bench.folder, requests);
			const script = ["requests", file, order] as const;
			return { server, seconds, script };
		});
		const [ours = [], theirs = []] = await loadInTurns(await Promise.all(loads), rounds);
		pairs.push({ what, ours, theirs, goal: GOAL });
	}
	await Promise.all([resort.stop(), bare.stop()]);
	return compare(
		"changes, 32 clients, each on disk before it is answered",
		"bare server, a transaction a request",
		pairs,
	);
}

function changesOf(database: string, guestsFile: string): Group[] {
	const guests = readGuests(guestsFile);
	const post = ({ apiKey }: Guest, path: string, body?: object): SentRequest => ({
		method: "POST",
		path,
		headers: { authorization: `Bearer ${apiKey}`, ...(body && { "content-type": "application/json" }) },
		...(body && { body: JSON.stringify(body) }),
	});
	const message = "The lake is flat, and nobody asked me anything all day.";
	return [
		{
			what: "do",
			requests: guests.map((guest) => {
				return post(guest, "/api/activities/tidepool-float/do");
			}),
			order: "random",
		},
		{
			what: "vote",
			requests: readCompletions(database, guests).flatMap(([guest, id]) =>
				[1, 2, 3, 4, 5].map((rating) => post(guest, `/api/experiences/${id}/vote`, { rating })),
			),
			order: "random",
		},
		{
			what: "postcard",
			requests: guests.map((guest) => {
				return post(guest, "/api/postcards", { message, mood: "serene" });
			}),
			order: "random",
		},
		{
			// All guests check out before the first one checks in again, so that no guest has two calls at the same
			// time.
			what: "check-out, check-in",
			requests: ["/api/checkout", "/api/checkin"].flatMap((path) => guests.map((guest) => post(guest, path))),
			order: "turns",
		},
	];
}
