import type { Bench } from "../bench.ts";
import { load, median } from "../load.ts";
import { type Memory, memoryOf, startResort } from "../process.ts";
import { atMost, printLatencies, printTable, type Verdict } from "../report.ts";
import { warm } from "../warm.ts";

const WRITERS = 8;
const SAMPLE_MS = 500;

/** Memory that does not grow still moves with the collector of garbage. */
const MOST_TIMES = 1.02;

/** The share of the samples that stands for a moment of the load. */
const WINDOW = 0.1;

/** The memory of the resort at many agents, and what reads of all of them and writes do to it. */
export async function memory(bench: Bench): Promise<Verdict[]> {
	const { large, minutes } = bench.options;
	const seconds = minutes * 60;
	const { database, ids, guests } = await bench.database(large);
	const server = await startResort(database);
	await (await fetch(`${server.url}/api/health`)).text();
	const idle = memoryOf(server.pid);
	await warm(server, ids);
	const warmed = memoryOf(server.pid);
	const samples: Memory[] = [];
	const timer = setInterval(() => samples.push(memoryOf(server.pid)), SAMPLE_MS);
	const [readers, writers] = await Promise.all([
		load({ server, seconds, script: ["status", ids] }),
		load({ server, seconds, script: ["do-activity", guests], connections: WRITERS }),
	]);
	clearInterval(timer);
	await server.stop();
	const middle = around(samples, 0.5);
	const end = around(samples, 1 - WINDOW / 2);
	const row = (name: string, { own, mapped }: Memory) => [name, own.toFixed(0), mapped.toFixed(0)];
	printLatencies(`load of ${minutes} min, ${large.agents} agents`, [
		["status", readers],
		[`do, by ${WRITERS}`, writers],
	]);
	printTable(
		"memory of the resort, MiB",
		["", "its own", "mapped files"],
		[
			row("after the first answer", idle),
			row("after every agent was asked for once", warmed),
			row("in the middle of the load", middle),
			row("at its end", end),
			[
				"growth from the middle to the end",
				(end.own - middle.own).toFixed(1),
				(end.mapped - middle.mapped).toFixed(1),
			],
		],
	);
	return [
		atMost("own memory at the end of the load, in that of its middle", end.own / middle.own, MOST_TIMES, "x"),
	];
}

/** The median of the samples around a moment. */
function around(samples: readonly Memory[], moment: number): Memory {
	const some = samples.slice(
		Math.floor((moment - WINDOW / 2) * samples.length),
		Math.ceil((moment + WINDOW / 2) * samples.length),
	);
	return { own: median(some.map(({ own }) => own)), mapped: median(some.map(({ mapped }) => mapped)) };
}
