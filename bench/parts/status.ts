import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Bench } from "../bench.ts";
import { load, loadInTurns } from "../load.ts";
import { startNode } from "../node.ts";
import { type Running, startBare, startResort } from "../process.ts";
import { judge, printFigures, type Verdict } from "../report.ts";
import { warm } from "../warm.ts";

/** One of so many agents is asked for of all servers, to see that they give the same answer. */
const COMPARED_EVERY = 499;

const FASTIFY = "(c) Fastify, better-sqlite3";
const FASTIFY_GOAL = 3;

interface Rival {
	readonly name: string;
	readonly server: Running;
	readonly goal: number | null;
}

/** GET /api/agents/{id}/status of random agents, beside servers that give the same answer. */
export async function status(bench: Bench): Promise<Verdict[]> {
	const { options, folder } = bench;
	const { database, ids } = await bench.database(options.main);
	const second = await bench.database(options.main);
	const resort = await startResort(database);
	const logFile = join(folder, "requests.log");
	const logging = await startResort(second.database, "info", logFile);
	const sqlite = await startBare("status", database);
	const node = await startNode(database);
	const fastify = "server" in node ? [node.server] : [];

	const sample = (await Bun.file(ids).text())
		.split("\n")
		.filter((id, row) => id !== "" && row % COMPARED_EVERY === 0);
	await compareAnswers(resort, [logging, sqlite, ...fastify], sample);
	const answer = join(folder, "status.json");
	await Bun.write(answer, await ask(resort, sample.at(-1) ?? ""));
	const constant = await startBare("constant", answer);

	const rivals: Rival[] = [
		{ name: "resort", server: resort, goal: null },
		{ name: "resort, info log to a file", server: logging, goal: null },
		{ name: "(a) bare Bun.serve", server: constant, goal: 0.68 },
		{ name: "(b) Bun.serve, bun:sqlite", server: sqlite, goal: 2.5 },
		...fastify.map((server) => ({
			name: FASTIFY,
			server,
			goal: FASTIFY_GOAL,
		})),
	];
	const { seconds, rounds } = options;
	const script = ["status", ids] as const;
	const first = await load({ server: resort, seconds, script });
	await Promise.all([warm(resort, ids), warm(logging, ids)]);
	const figures = await loadInTurns(
		rivals.map(({ server }) => ({ server, seconds, script })),
		rounds,
	);
	await Promise.all(rivals.map(({ server }) => server.stop()));
	const rows = rivals.flatMap((rival, row) => {
		const its = figures[row];
		return its === undefined ? [] : [{ ...rival, figures: its }];
	});
	printFigures(
		`GET /api/agents/{id}/status, random ids of ${options.main.agents}`,
		[
			...rows.map(({ name, figures }) => [name, figures] as const),
			["resort, of most agents for the first time", first],
		],
	);
	const ours = rows[0]?.figures;
	if (ours === undefined) return [];
	const verdicts = judge(
		rows.flatMap(({ name, figures, goal }) =>
			goal === null
				? []
				: {
						what: "status",
						against: name,
						ours,
						theirs: figures,
						goal,
						by: "processor",
					},
		),
	);
	if ("server" in node) return verdicts;
	return [
		...verdicts,
		{
			what: `status : ${FASTIFY}`,
			reached: node.missing,
			goal: `>= ${FASTIFY_GOAL} x`,
			isReached: null,
		},
	];
}

/** @throws Error when a server answers something else than the first one */
async function compareAnswers(
	resort: Running,
	others: readonly Running[],
	ids: readonly string[],
): Promise<void> {
	for (const id of ids) {
		const expected: unknown = JSON.parse(await ask(resort, id));
		for (const other of others) {
			const given: unknown = JSON.parse(await ask(other, id));
			if (!isDeepStrictEqual(given, expected)) {
				throw new Error(`${other.url} answers something else for ${id}`);
			}
		}
	}
}

async function ask({ url }: Running, id: string): Promise<string> {
	return (await fetch(`${url}/api/agents/${id}/status`)).text();
}
