import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { sizes } from "../generate.ts";
import type { Result } from "../goals.ts";
import { readIds } from "../guests.ts";
import { type Figures, inTurns, load, loadInTurns, requestsFile, type SentRequest } from "../load.ts";
import { startBare, startResort } from "../process.ts";
import { recordAnswers } from "../record-answers.ts";
import { byProcessor, type Pair, printPairs } from "../report.ts";

const AGENTS = 20_000;
const FIRST_SECONDS = 5;

const gzip = { "accept-encoding": "gzip" };

/** Requests whose answers are the same for everybody. */
const lists: Readonly<Record<string, SentRequest>> = {
	lobby: { path: "/api/lobby", headers: gzip },
	experiences: { path: "/api/experiences", headers: gzip },
	postcards: { path: "/api/postcards", headers: gzip },
	activities: { path: "/api/activities", headers: gzip },
	skill: { path: "/api/skill", headers: gzip },
};

const page: SentRequest = { path: "/", headers: { ...gzip, accept: "text/html" } };

/** Requests that are measured together. */
interface Group {
	readonly goal: Result["goal"];
	readonly what: string;
	readonly requests: readonly SentRequest[];
}

/** Compares answers from the cache of the resort with a bare server that repeats the same answers. */
export async function cached(bench: Bench): Promise<Result[]> {
	const database = await bench.database(sizes.usual);
	const statuses = readIds(database, `agents LIMIT ${AGENTS}`).map((id) => ({
		path: `/api/agents/${id}/status`,
	}));
	const groups: readonly Group[] = [
		{ goal: "status", what: "status", requests: statuses },
		...Object.entries(lists).map(([what, request]): Group => ({ goal: "cached", what, requests: [request] })),
		{ goal: "page", what: "/ as HTML", requests: [page] },
	];
	const resort = await startResort(database);
	const answers = join(bench.folder, "answers");
	// This also fills the cache with every status, as in a resort that has run for some minutes.
	await recordAnswers(
		resort,
		groups.flatMap(({ requests }) => requests),
		answers,
	);
	const floor = await startBare("floor", answers);
	const pairs: Pair[] = [];
	const results: Result[] = [];
	for (const { goal, what, requests } of groups) {
		const file = await requestsFile(bench.folder, requests);
		const loads = [resort, floor].map((server) => ({ server, requests: file, seconds: bench.seconds }));
		const [ours = [], theirs = []] = await loadInTurns(loads, bench.rounds);
		const pair: Pair = { what, ours, theirs };
		pairs.push(pair);
		results.push({ goal, figures: byProcessor(pair), ...(goal === "cached" && { of: what }) });
	}
	await Promise.all([resort.stop(), floor.stop()]);
	printPairs("answers from the cache, beside a bare server with the same answers", "bare", pairs);
	return results;
}

/** Compares the same answers in the first seconds of a process, before the runtime compiles the code. */
export async function cold(bench: Bench): Promise<Result[]> {
	const database = await bench.database(sizes.usual);
	const answers = join(bench.folder, "answers");
	const resort = await startResort(database);
	await recordAnswers(resort, Object.values(lists), answers);
	await resort.stop();
	const pairs: Pair[] = [];
	for (const [what, request] of Object.entries(lists)) {
		const requests = await requestsFile(bench.folder, [request]);
		const servers = [() => startResort(database), () => startBare("floor", answers)];
		const [ours = [], theirs = []] = await inTurns(servers, bench.rounds, async (start): Promise<Figures> => {
			const server = await start();
			const figures = await load({ server, requests, seconds: FIRST_SECONDS });
			await server.stop();
			return figures;
		});
		pairs.push({ what, ours, theirs });
	}
	printPairs(`the same in the first ${FIRST_SECONDS} s of a process`, "bare", pairs);
	return pairs.map((pair) => ({ goal: "cold", of: pair.what, figures: byProcessor(pair) }));
}
