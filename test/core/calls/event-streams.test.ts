/**
 * Tests the check of open event streams. In the program, a timer of each stream runs this check every second.
 * Here, each test runs the checks of its streams itself.
 */

import { afterEach, beforeEach, describe, expect, mock, spyOn, test } from "bun:test";
import type { Server } from "bun";
import { SECOND_MS } from "../../../src/core/lib/clock.ts";
import { SESSION_MS } from "../../../src/core/resort/sessions/service.ts";
import { numbersTo } from "../../support/engine.ts";
import { EventReader } from "../../support/event-reader.ts";
import { until } from "../../support/until.ts";
import { useResort } from "../../support/use-resort.ts";
import { silentReader } from "../../support/wire.ts";

const resort = useResort();
let server: Server<undefined>;
let nowMs: number;
/** The checks of all streams that the test has opened. */
let checks: (() => void)[];

beforeEach(() => {
	server = Bun.serve({ port: 0, fetch: (request) => resort.fetch(request) });
	nowMs = 0;
	checks = [];
	spyOn(performance, "now").mockImplementation(() => nowMs);
	const start = globalThis.setInterval;
	const replace = (callback: () => void, delayMs: number) => {
		if (delayMs !== SECOND_MS) return start(callback, delayMs);
		checks.push(callback);
		return start(() => {}, delayMs);
	};
	spyOn(globalThis, "setInterval").mockImplementation(replace as never);
});
afterEach(async () => {
	mock.restore();
	await server.stop(true);
});

const open = (path = "/api/events", headers?: Record<string, string>) =>
	EventReader.open(new URL(path, server.url).href, headers);

function check(): void {
	for (const checkOne of checks) checkOne();
}

/** Runs the checks `ms` milliseconds after the start of the test. */
async function checkAt(ms: number): Promise<void> {
	nowMs = ms;
	check();
	// Waits for a response, because everything that a check has sent arrives before it.
	await fetch(new URL("/healthz", server.url));
}

test("an event stream sends heartbeats every 20 s, with an id if its filter excluded an event since the last one", async () => {
	const ada = await resort.register();
	// When an event arrives on `unfiltered`, `stream` has already handled it too, and excluded it.
	const paths = ["/api/events?ids=none", "/api/events"];
	const [stream, unfiltered] = [await open(paths[0]), await open(paths[1])];
	await Promise.all([resort.checkIn(ada), unfiltered.have(1)]);
	await checkAt(19_999);
	expect(stream.blocks).toHaveLength(1);
	await checkAt(20_000);
	await until(() => stream.blocks.length > 1);
	await checkAt(39_999);
	expect(stream.blocks).toHaveLength(2);
	await checkAt(40_000);
	await until(() => stream.blocks.length > 2);
	const { body } = await resort.call("GET", "/api/events");
	expect(stream.blocks.slice(1)).toEqual([{ comment: "", id: body.cursor }, { comment: "" }]);
	stream.leave();
	unfiltered.leave();
});

test("an event stream sends the next heartbeat 20 s after an event", async () => {
	const ada = await resort.register();
	const stream = await open();
	nowMs = 5_000;
	await resort.checkIn(ada);
	await stream.have(1);
	await checkAt(24_999);
	expect(stream.blocks).toHaveLength(2);
	await checkAt(25_000);
	await until(() => stream.blocks.length > 2);
	expect(stream.blocks[2]).toEqual({ comment: "" });
	stream.leave();
});

test("the credential of an event stream is checked every 20 s, and an expired session ends the stream", async () => {
	const ada = await resort.register();
	const session = await resort.login(ada.key);
	const stream = await open("/api/me/events", { cookie: `__Host-resort_session=${session}` });
	await checkAt(20_000);
	resort.advance(SESSION_MS);
	await checkAt(39_999);
	expect(stream.ended).toBeNull();
	await checkAt(40_000);
	expect(await stream.end()).toBe("in order");
});

test("the timer of an event stream stops when the stream ends", async () => {
	const stops = spyOn(globalThis, "clearInterval");
	const stream = await open();
	expect(stops).toHaveBeenCalledTimes(0);
	stream.leave();
	await until(() => stops.mock.calls.length === 1);
});

describe("a client that does not read its event stream", () => {
	/** Opens a stream with more events than the buffers of a connection can hold, and does not read it. */
	async function openSilent() {
		const { id } = await resort.register();
		const details = JSON.stringify({
			activityId: "x",
			name: "n".repeat(2_000),
			category: "c",
			relaxationPoints: 1,
		});
		const add = (count: number) =>
			resort.rows(
				`${numbersTo(count)} INSERT INTO events (type, at, agent_id, details) SELECT 'agent.did', 1, '${id}', '${details}' FROM n`,
			);
		await add(12_000);
		nowMs = 1_000;
		const path = "/api/events?since=0";
		const accept = "Accept: text/event-stream\r\n";
		const reader = silentReader(server.port ?? 0, path, accept);
		await until(() => server.pendingRequests === 1);
		return { add, reader };
	}

	test.each([
		["nothing was read for 15 s", () => (nowMs += 15_000)],
		["the instance has begun to stop", () => resort.context.eventLog.end()],
	])("is disconnected by a check of its stream if %s", async (_, happen) => {
		const { reader } = await openSilent();
		await resort.guest();
		await checkAt(15_999);
		expect(server.pendingRequests).toBe(1);
		await until(() => {
			happen();
			check();
			return server.pendingRequests === 0;
		});
		reader.leave();
	});

	test("is disconnected when more than 1 MiB of new events is waiting for it", async () => {
		const { add, reader } = await openSilent();
		const ada = await resort.guest();
		await add(600);
		await until(async () => {
			await resort.checkOut(ada);
			await resort.checkIn(ada);
			return server.pendingRequests === 0;
		});
		const text = (await reader.readToEnd()).toString();
		expect(text).not.toEndWith("0\r\n\r\n");
	});
});
