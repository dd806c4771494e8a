/** Tests event streams and waiting calls while the server restarts, and clients that stop reading. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { SECOND_MS } from "../../src/core/lib/clock.ts";
import { prepareMetrics } from "../features/metrics/exposition.ts";
import { EventReader } from "../support/event-reader.ts";
import { useFreshFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { silentReader } from "../support/wire.ts";

const folder = useFreshFolder();

const args = ["serve", "--port", "0", "--rate-limits", "off"];

/** Starts a server with metrics, which contain the numbers of open streams and waiting calls. */
async function serveMeasured() {
	const metrics = await prepareMetrics();
	const resort = await folder.serve([...args, ...metrics.flags]);
	return { resort, ...metrics };
}

test("a resort that receives SIGTERM ends its streams, and answers waiting calls with the current state, within 8 s", async () => {
	const { resort, untilReaders } = await serveMeasured();
	const ada = await resort.guest();
	const streams = await Promise.all(
		Array.from({ length: 5 }, () => EventReader.open(`${resort.url}/api/events`)),
	);
	const status = resort.send("GET", `/api/agents/${ada.id}/status?until=available&wait=60`);
	const events = resort.send("GET", "/api/events?wait=60");
	await untilReaders("5,2");
	const startedAt = performance.now();
	const { exitCode, stderr } = await resort.stop();
	expect(exitCode).toBe(0);
	expect(performance.now() - startedAt).toBeLessThan(8 * SECOND_MS);
	expect(stderr).not.toContain("cut off");
	for (const stream of streams) expect(await stream.end()).toBe("in order");
	expect((await status).status).toBe("relaxing");
	expect((await events).events).toEqual([]);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
	"a client that resumes its stream after a %s to the resort receives the event of each successful call once",
	async (signal) => {
		let resort = await folder.serve(args);
		const guests = await Promise.all(Array.from({ length: 8 }, () => resort.register()));
		const ids: number[] = [];
		let lastId = "0";
		let acknowledged = 0;
		for (let life = 0; life < 2; life++) {
			const stream = await EventReader.open(`${resort.url}/api/events`, { "last-event-id": lastId });
			const living = resort;
			const acting = Promise.all(
				guests.map(async (guest) => {
					// Ends at the first error other than `Already checked in` and `Not checked in`, which follow if the
					// last call before a kill succeeded without a response.
					for (let at = 0; ; at++) {
						try {
							await (at % 2 === 0 ? living.checkIn(guest) : living.checkOut(guest));
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
	/** More events than the buffers of a connection can hold. */
	const EVENTS = 12_000;
	const NAME_LENGTH = 2_000;

	function fill(file: string, id: string): void {
		using sqlite = new Database(file);
		sqlite.run(
			`INSERT INTO events (type, at, agent_id, details)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${EVENTS})
			SELECT 'agent.did', ${Date.now()}, '${id}', json_object('activityId', 'x', 'name', '${"n".repeat(NAME_LENGTH)}', 'category', 'c', 'relaxationPoints', 1) FROM n`,
		);
	}

	test("are disconnected after 15 s, and do not delay other clients", async () => {
		const before = await folder.serve(args);
		const ada = await before.register();
		await before.stop();
		fill(folder.file(), ada.id);
		const { resort, readers, untilReaders } = await serveMeasured();
		const open = () => silentReader(resort.port, "/api/events?since=0", "Accept: text/event-stream\r\n");
		const silent = Array.from({ length: 4 }, open);
		const gone = Array.from({ length: 4 }, open);
		await untilReaders("8,0");
		const startedAt = performance.now();
		const reader = await EventReader.open(`${resort.url}/api/events`);
		await resort.checkIn(ada);
		await reader.have(1);
		// The silent clients are disconnected after 15 s. If they delayed the reader, this would take longer than
		// 5 s.
		expect(performance.now() - startedAt).toBeLessThan(5 * SECOND_MS);
		for (const one of gone) one.leave();
		const all = await EventReader.open(`${resort.url}/api/events?since=0`);
		await all.have(EVENTS + 1);
		expect(all.ids).toEqual(Array.from(all.ids, (_, at) => at + 1));
		all.leave();
		// The first number counts open streams. Waits until only the reading client's stream is left.
		await until(async () => (await readers()) !== "5,0");
		await untilReaders("1,0");
		expect(performance.now() - startedAt).toBeGreaterThan(13 * SECOND_MS);
		for (const one of silent) {
			const text = (await one.readToEnd()).toString();
			// The final chunk is missing, so a client can tell that the body is incomplete.
			expect(text).not.toEndWith("0\r\n\r\n");
			expect(text.length).toBeLessThan(EVENTS * NAME_LENGTH);
		}
		expect(reader.ended).toBeNull();
		reader.leave();
		await resort.stop();
	}, 60_000);
});
