import type { Registered } from "../support/calls.ts";
import { resortAt } from "../support/calls.ts";
/**
 * Tests event streams and waiting calls while the server stops and restarts, and clients that stop reading.
 */

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { SECOND_MS } from "../../src/core/lib/clock.ts";
import { prepareMetrics } from "../features/metrics/exposition.ts";
import { EventReader } from "../support/event-reader.ts";
import type { Serving } from "../support/executable.ts";
import { useFreshFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { silentReader } from "../support/wire.ts";

const folder = useFreshFolder();

const args = ["serve", "--port", "0", "--rate-limits", "off"];

const register = ({ url }: Serving) => resortAt(url).register();

const checkIn = ({ url }: Serving, { key }: Registered) =>
	resortAt(url).send("POST", "/api/checkin", { key });

const checkOut = ({ url }: Serving, { key }: Registered) =>
	resortAt(url).send("POST", "/api/checkout", { key });

const untilAvailable = ({ url }: Serving, { id }: Registered) =>
	fetch(`${url}/api/agents/${id}/status?until=available&wait=60`);

/** Serves with metrics, which count open streams and waiting calls. */
async function serveMeasured() {
	const metrics = await prepareMetrics();
	const resort = await folder.serve([...args, ...metrics.flags]);
	return { resort, ...metrics };
}

test("a stopping resort ends streams in order and answers waiting calls with the current state within 8 s", async () => {
	const { resort, untilReaders } = await serveMeasured();
	const ada = await register(resort);
	await checkIn(resort, ada);
	const streams = await Promise.all(
		Array.from({ length: 5 }, () => EventReader.open(`${resort.url}/api/events`)),
	);
	const status = untilAvailable(resort, ada);
	const events = fetch(`${resort.url}/api/events?wait=60`);
	await untilReaders("5,2");
	const startedAt = performance.now();
	const { exitCode, stderr } = await resort.stop();
	expect(exitCode).toBe(0);
	expect(performance.now() - startedAt).toBeLessThan(8 * SECOND_MS);
	expect(stderr).not.toContain("cut off");
	for (const stream of streams) expect(await stream.end()).toBe("in order");
	expect(await (await status).json()).toMatchObject({ status: "relaxing" });
	expect(await (await events).json()).toMatchObject({ events: [] });
});

test.each(["SIGTERM", "SIGKILL"] as const)(
	"a client that resumes after %s receives each acknowledged event exactly once",
	async (signal) => {
		let resort = await folder.serve(args);
		const guests = await Promise.all(Array.from({ length: 8 }, () => register(resort)));
		const ids: number[] = [];
		let lastId = "0";
		let acknowledged = 0;
		for (let life = 0; life < 3; life++) {
			const stream = await EventReader.open(`${resort.url}/api/events`, { "last-event-id": lastId });
			const living = resort;
			const acting = Promise.all(
				guests.map(async (guest) => {
					// The loop ends when the resort ends. After a kill, it is unknown whether the guest is checked in.
					for (let at = 0; ; at++) {
						const act = at % 2 === 0 ? checkIn : checkOut;
						try {
							await act(living, guest);
							acknowledged++;
						} catch (error) {
							if (!String(error).includes("hecked in")) return;
						}
					}
				}),
			);
			await stream.have(20);
			await resort.stop(signal);
			await acting;
			await stream.end();
			ids.push(...stream.ids);
			lastId = stream.lastId;
			resort = await folder.serve(args);
		}
		const rest = await EventReader.open(`${resort.url}/api/events`, { "last-event-id": lastId });
		const { cursor } = await resort.send("GET", "/api/events");
		await until(() => (rest.lastId || lastId) === cursor);
		ids.push(...rest.ids);
		await resort.stop();
		expect(ids).toEqual(Array.from(ids, (_, at) => at + 1));
		expect(ids.at(-1)).toBe(Number(cursor));
		expect(ids.length).toBeGreaterThanOrEqual(acknowledged);
	},
);

describe("clients that read nothing", () => {
	/** More events than the buffers of a connection hold. */
	const EVENTS = 12_000;
	const NAME_LENGTH = 2_000;

	function fill(file: string, { id }: Registered): void {
		using sqlite = new Database(file);
		sqlite.run(
			`INSERT INTO events (type, at, agent_id, details)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS})
			SELECT 'agent.did', ${Date.now()}, '${id}', json_object('activityId', 'x', 'name', '${"n".repeat(NAME_LENGTH)}', 'category', 'c', 'relaxationPoints', 1) FROM n`,
		);
	}

	test("are disconnected after 15 s, and do not delay other clients", async () => {
		const before = await folder.serve(args);
		const ada = await register(before);
		await before.stop();
		fill(join(folder.path, "resort.sqlite"), ada);
		const { resort, readers, untilReaders } = await serveMeasured();
		const { port } = new URL(resort.url);
		const open = () => silentReader(Number(port), "/api/events?since=0", "Accept: text/event-stream\r\n");
		const silent = Array.from({ length: 4 }, open);
		const gone = Array.from({ length: 4 }, open);
		await untilReaders("8,0");
		const startedAt = performance.now();
		const reader = await EventReader.open(`${resort.url}/api/events`);
		await checkIn(resort, ada);
		await reader.have(1);
		// Much less than the 15 s of the silent clients.
		expect(performance.now() - startedAt).toBeLessThan(5 * SECOND_MS);
		for (const one of gone) one.leave();
		const all = await EventReader.open(`${resort.url}/api/events?since=0`);
		await all.have(EVENTS + 1);
		expect(all.ids).toEqual(Array.from(all.ids, (_, at) => at + 1));
		all.leave();
		// Only the client that reads its stream is still connected.
		await until(async () => (await readers()) !== "5,0");
		await untilReaders("1,0");
		expect(performance.now() - startedAt).toBeGreaterThan(13 * SECOND_MS);
		for (const one of silent) {
			const text = (await one.readToEnd()).toString();
			// The chunked body has no end, so a client can tell that it is incomplete.
			expect(text).not.toEndWith("0\r\n\r\n");
			expect(text.length).toBeLessThan(EVENTS * NAME_LENGTH);
		}
		expect(reader.ended).toBeNull();
		reader.leave();
		await resort.stop();
	}, 60_000);
});
