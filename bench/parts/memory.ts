import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { sizes } from "../generate.ts";
import type { Result } from "../goals.ts";
import { type Guest, readGuests, readIds } from "../guests.ts";
import { type Memory, memoryOf, type Running, startResort } from "../process.ts";
import { askForAll } from "../record-answers.ts";
import { printTable } from "../report.ts";

const STREAMS = 10_000;
const EVENTS_PER_SECOND = 100;
const SECONDS = 60;
const SETTLE_MS = 5_000;

/** Measures the memory of the resort with a million agents: idle, after many calls, and with many streams. */
export async function memory(bench: Bench): Promise<Result[]> {
	const database = await bench.database(sizes.million);
	const ids = readIds(database, "agents");
	const guests = readGuests(database);
	const rows: string[][] = [];
	const results: Result[] = [];
	const record = (goal: Result["goal"], what: string, { own, mapped }: Memory) => {
		rows.push([what, own.toFixed(0), mapped.toFixed(0)]);
		// The goal for an idle process includes mapped files, because most of its memory are pages of the
		// executable.
		results.push({ goal, figures: [goal === "idle" ? own + mapped : own] });
	};

	const asked = await startOnce(database);
	record("idle", "idle", memoryOf(asked.pid));
	await askForAll(asked, ids);
	record("asked", `${ids.length} agents asked for once`, memoryOf(asked.pid));
	await asked.stop();

	const server = await startOnce(database);
	const streams = await openStreams(server);
	await Bun.sleep(SETTLE_MS);
	record("streams", `${STREAMS} streams`, memoryOf(server.pid));
	const { most, events, seconds } = await publish(server, guests);
	record("events", "the most while they receive events", most);
	const received = await streams.close();
	await server.stop();
	printTable("memory of the resort, MiB", ["", "its own", "mapped files"], rows);
	process.stdout.write(
		`  ${events} events in ${seconds.toFixed(0)} s, ${received.open} streams open at the end, ${(received.bytes / events / STREAMS).toFixed(0)} bytes an event at each\n`,
	);
	return results;
}

async function startOnce(database: string): Promise<Running> {
	const server = await startResort(database);
	await (await fetch(`${server.url}/api/health`)).text();
	return server;
}

async function openStreams({ url }: Running) {
	const program = join(import.meta.dir, "../streams.ts");
	const child = Bun.spawn([process.execPath, program, url, String(STREAMS)], {
		stdin: "pipe",
		stdout: "pipe",
	});
	const output = child.stdout.getReader();
	const line = async () => JSON.parse(new TextDecoder().decode((await output.read()).value));
	await line();
	return {
		async close(): Promise<{ readonly open: number; readonly bytes: number }> {
			child.stdin.end();
			return await line();
		},
	};
}

/** Publishes events for a minute. @returns the peak of the memory, the number of events, and the duration */
async function publish({ url, pid }: Running, guests: readonly Guest[]) {
	const most = { own: 0, mapped: 0 };
	const waiting = new Set<Promise<void>>();
	const startedAt = performance.now();
	let events = 0;
	const publishOne = async (apiKey: string) => {
		const response = await fetch(`${url}/api/activities/tidepool-float/do`, {
			method: "POST",
			headers: { authorization: `Bearer ${apiKey}` },
		});
		await response.arrayBuffer();
		if (!response.ok) throw new Error(`do: ${response.status}`);
		events++;
	};
	for (let at = 0; at < SECONDS * EVENTS_PER_SECOND; at++) {
		const call = publishOne(guests[at % guests.length]?.apiKey ?? "").finally(() => waiting.delete(call));
		waiting.add(call);
		const dueMs = startedAt + ((at + 1) * 1_000) / EVENTS_PER_SECOND;
		await Bun.sleep(Math.max(0, dueMs - performance.now()));
		const { own, mapped } = memoryOf(pid);
		most.own = Math.max(most.own, own);
		most.mapped = Math.max(most.mapped, mapped);
	}
	await Promise.all(waiting);
	return { most, events, seconds: (performance.now() - startedAt) / 1_000 };
}
