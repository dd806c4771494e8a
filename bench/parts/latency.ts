import type { Bench } from "../bench.ts";
import { type Figures, inTurns, load, medians } from "../load.ts";
import { startResort } from "../process.ts";
import { atMost, printLatencies, type Verdict } from "../report.ts";

const WRITERS = 16;
const MOST_TIMES = 5;

/** How long a status takes while others write. */
export async function latency(bench: Bench): Promise<Verdict[]> {
	const { main, seconds, rounds } = bench.options;
	const { database, ids, guests } = await bench.database(main);
	const server = await startResort(database);
	const read = () => load({ server, seconds, script: ["status", ids] });
	const write = () =>
		load({
			server,
			// The readers must not end in a moment without writers.
			seconds: seconds + 1,
			script: ["do-activity", guests],
			connections: WRITERS,
		});
	const [alone = [], together = []] = await inTurns(
		[async () => [await read()], () => Promise.all([read(), write()])],
		rounds,
		(run: () => Promise<Figures[]>) => run(),
	);
	await server.stop();
	const quiet = medians(alone.flatMap((run) => run.slice(0, 1)));
	const busy = medians(together.flatMap((run) => run.slice(0, 1)));
	const writers = medians(together.flatMap((run) => run.slice(1)));
	printLatencies("GET status while others write", [
		["status", quiet],
		[`status, while ${WRITERS} write`, busy],
		[`those ${WRITERS}`, writers],
	]);
	return [
		atMost(
			`status p99 while ${WRITERS} write, in its p99 without them`,
			busy.p99Ms / quiet.p99Ms,
			MOST_TIMES,
			"x",
		),
	];
}
