import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { type Figures, inTurns, load, median, medians } from "../load.ts";
import { memoryOf, type Running, startResort } from "../process.ts";
import { atMost, printLatencies, printTable, type Verdict } from "../report.ts";

/** How many streams there are, and how many calls that wait. */
const READERS = 1_000;

/** Longer than a resort takes to be loaded. */
const SETTLE_MS = 1_000;

/** The memory that the readers cost, and how soon they receive an event. */
interface Delivery {
	/** The growth of the server's own memory, in MiB. */
	readonly grownBy: number;
	/** From the answer of the check-out to the last stream and to the last call, in milliseconds. */
	readonly streamsMs: number;
	readonly callsMs: number;
}

/**
 * Measures streams and waiting calls: their memory, the time until all receive an event, and the latency of
 * others.
 */
export async function events(bench: Bench): Promise<Verdict[]> {
	const { main, seconds, rounds } = bench.options;
	const { database, ids, guests } = await bench.database(main);
	const list = readFileSync(guests, "utf8").trim().split("\n");
	const deliveries: Record<"both" | "streams", Delivery[]> = { both: [], streams: [] };
	for (let round = 0; round < rounds; round++) {
		const guest = (place: number) => list.at(-1 - place) ?? "";
		deliveries.streams.push(await measureDelivery(database, guest(2 * round), 0));
		deliveries.both.push(await measureDelivery(database, guest(2 * round + 1), READERS));
	}
	const server = await startResort(database);
	const read = () => load({ server, seconds, script: ["status", ids] });
	const write = () => load({ server, seconds, script: ["do-activity", guests] });
	for (const warm of [read, write]) await warm();
	const beside = async (run: () => Promise<Figures>) => {
		const readers = await open(server, list.at(-50) ?? "", READERS);
		const figures = await run();
		await readers.close();
		return figures;
	};
	const [quiet = [], busy = [], writes = [], writesBeside = []] = await inTurns(
		[read, () => beside(read), write, () => beside(write)],
		rounds,
		(run: () => Promise<Figures>) => run(),
	);
	await server.stop();
	const streams = mediansOf(deliveries.streams);
	const both = mediansOf(deliveries.both);
	printTable(
		`${READERS} streams, and as many calls that wait`,
		["", "memory", "last stream", "last call"],
		[row(`${READERS} streams`, streams), row(`and ${READERS} waiting calls`, both)],
	);
	const names = ["status", "status beside them", "do", "do beside them"];
	const figures = [quiet, busy, writes, writesBeside].map(medians);
	printLatencies(
		"others beside them",
		figures.map((figure, at) => [names[at] ?? "", figure]),
	);
	const ratio = median(busy.map((run, at) => run.p99Ms / (quiet[at]?.p99Ms ?? 1)));
	return [
		atMost(`memory of ${READERS} streams`, streams.grownBy, 20, "MiB"),
		atMost("an event at the last of them", streams.streamsMs, 50, "ms"),
		atMost(`memory with ${READERS} waiting calls too`, both.grownBy, 40, "MiB"),
		atMost("a check-out at the last of both", Math.max(both.streamsMs, both.callsMs), 100, "ms"),
		atMost("status p99 beside them, in its p99 without them", ratio, 1.5, "x"),
	];
}

function mediansOf(deliveries: readonly Delivery[]): Delivery {
	return {
		grownBy: median(deliveries.map(({ grownBy }) => grownBy)),
		streamsMs: median(deliveries.map(({ streamsMs }) => streamsMs)),
		callsMs: median(deliveries.map(({ callsMs }) => callsMs)),
	};
}

function row(name: string, { grownBy, streamsMs, callsMs }: Delivery): string[] {
	return [name, `${grownBy.toFixed(1)} MiB`, `${streamsMs.toFixed(0)} ms`, `${callsMs.toFixed(0)} ms`];
}

/** Starts a resort, and checks a guest out while streams and calls wait for this. */
async function measureDelivery(database: string, guest: string, calls: number): Promise<Delivery> {
	const [, key = ""] = guest.split(" ");
	const server = await startResort(database);
	await (await fetch(`${server.url}/api/lobby`)).text();
	await Bun.sleep(SETTLE_MS);
	const before = memoryOf(server.pid).own;
	const readers = await open(server, guest, calls);
	const grownBy = memoryOf(server.pid).own - before;
	const { status } = await fetch(`${server.url}/api/checkout`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}` },
	});
	const answeredAt = Date.now();
	if (status !== 200) throw new Error(`a check-out was answered ${status}`);
	const { streamsAt, callsAt } = await readers.delivered();
	await readers.close();
	await server.stop();
	return { grownBy, streamsMs: streamsAt - answeredAt, callsMs: calls === 0 ? 0 : callsAt - answeredAt };
}

/** Opens streams, and calls that wait for a guest. */
async function open({ url }: Running, guest: string, calls: number) {
	const [id = ""] = guest.split(" ");
	const path = join(import.meta.dir, "../clients/readers.ts");
	const child = Bun.spawn([process.execPath, path, url, String(READERS), String(calls), id], {
		stdin: "pipe",
		stdout: "pipe",
	});
	const output = child.stdout.getReader();
	const line = async () => JSON.parse(new TextDecoder().decode((await output.read()).value));
	await line();
	return {
		delivered: line as () => Promise<{ streamsAt: number; callsAt: number }>,
		async close() {
			child.stdin.end();
			await child.exited;
		},
	};
}
