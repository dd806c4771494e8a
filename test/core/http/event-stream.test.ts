import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Server } from "bun";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { deleteOldEvents } from "../../../src/core/resort/events/publish.ts";
import type { Registered } from "../../support/calls.ts";
import { numbersTo } from "../../support/engine.ts";
import { EventReader } from "../../support/event-reader.ts";
import { until } from "../../support/until.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort();
let server: Server<undefined>;
let readers: EventReader[];
beforeEach(() => {
	readers = [];
	server = Bun.serve({ port: 0, fetch: (request) => resort.fetch(request) });
});
afterEach(async () => {
	for (const reader of readers) reader.leave();
	await server.stop(true);
});

async function open(path = "/api/events", headers: Record<string, string> = {}): Promise<EventReader> {
	const reader = await EventReader.open(`http://127.0.0.1:${server.port}${path}`, headers);
	readers.push(reader);
	return reader;
}

const as = ({ key }: Registered) => ({ authorization: `Bearer ${key}` });

const typesOf = ({ events }: EventReader) => events.map(({ event }) => event);

async function newest(): Promise<string> {
	return (await resort.call("GET", "/api/events")).body.cursor;
}

describe("an event stream", () => {
	test("begins with the reconnection delay and the newest id, and may not be cached", async () => {
		const { status, headers, blocks } = await open();
		expect(status).toBe(200);
		expect(headers.get("content-type")).toBe("text/event-stream");
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.get("x-accel-buffering")).toBe("no");
		expect(headers.get("access-control-allow-origin")).toBe("*");
		expect(headers.get("content-encoding")).toBeNull();
		expect(blocks).toEqual([{ retry: "2000", id: await newest() }]);
	});

	test("sends each event when it happens, with the same content as in the JSON list", async () => {
		const ada = await resort.register();
		const start = await newest();
		const stream = await open();
		await resort.checkIn(ada);
		await resort.sendPostcard(ada, { message: "a\nb\u2028c\r\nd" });
		const [first, second] = await stream.have(2);
		const { body } = await resort.call("GET", `/api/events?since=${start}`);
		expect([first, second]).toEqual(
			body.events.map((event) => ({ id: event.id, event: event.type, data: JSON.stringify(event) })),
		);
	});

	test("finds a matching event after more than 5,000 stored events that do not match", async () => {
		const ada = await resort.register();
		const start = await newest();
		await resort.rows(
			`${numbersTo(12_000)} INSERT INTO events (type, at, agent_id) SELECT 'agent.gone', 1, '${ada.id}' FROM n`,
		);
		await resort.checkIn(ada);
		const path = `/api/events?since=${start}&ids=${ada.id}&types=agent.relaxing`;
		const stream = await open(path);
		await stream.have(1);
		expect(typesOf(stream)).toEqual(["agent.relaxing"]);
	});

	test.each([
		["field Last-Event-ID rather than the parameters", "/api/events?since=0&lastEventId=0", true],
		["parameter `lastEventId` rather than `since`", "/api/events?since=0&lastEventId=ID", false],
		["parameter `lastEventId` of GET /api/me/events", "/api/me/events?lastEventId=ID", false],
		["parameter `since` if `lastEventId` is empty", "/api/events?since=ID&lastEventId=", false],
	])("resumes after the id in the %s", async (_, path, hasField) => {
		const ada = await resort.register();
		const first = await open();
		await resort.checkIn(ada);
		await first.have(1);
		first.leave();
		await resort.send("POST", "/api/activities/tidepool-float/do", { key: ada.key });
		await resort.checkOut(ada);
		const again = await open(path.replace("ID", first.lastId), {
			...as(ada),
			...(hasField && { "last-event-id": first.lastId }),
		});
		await resort.checkIn(ada);
		await again.have(3);
		expect(typesOf(again)).toEqual(["agent.did", "agent.available", "agent.relaxing"]);
		expect(again.ids).toEqual([1, 2, 3].map((n) => Number(first.lastId) + n));
	});

	test("begins with `reset` and the newest id if it cannot resume after the given id, and then continues", async () => {
		const ada = await resort.register();
		const start = await newest();
		await resort.checkIn(ada);
		await resort.checkOut(ada);
		resort.advance(8 * DAY_MS);
		await resort.context.store.write(() => deleteOldEvents(resort.context, 7 * DAY_MS));
		const cursor = await newest();
		const late = await open(`/api/events?since=${start}`);
		const beyond = await open(`/api/events?since=${Number(cursor) + 1}`);
		for (const stream of [late, beyond]) {
			const [reset] = await stream.have(1);
			expect(reset).toEqual({ id: cursor, event: "reset", data: JSON.stringify({ cursor }) });
		}
		await resort.checkIn(ada);
		await late.have(2);
		expect(typesOf(late)).toEqual(["reset", "agent.relaxing"]);
	});

	test("ends at once, as a complete response, if it begins while the instance stops", async () => {
		resort.context.eventLog.end();
		const late = await open();
		expect(await late.end()).toBe("in order");
		expect(late.blocks.at(-1)).toEqual({ retry: "2000" });
	});
});

describe("GET /api/events", () => {
	test.each([
		["an event stream", "text/event-stream"],
		["a JSON list", "application/json, text/event-stream"],
		["an event stream", "text/event-stream, application/json;q=0.9, */*"],
		["a JSON list", "text/event-stream, */*"],
		["a JSON list", "text/event-stream, application/*, */*;q=0.1"],
		["an event stream", "text/event-stream;q=1, */*;q=0.5"],
		["a JSON list", "text/event-stream;q=0.5, */*"],
		["an event stream", "text/event-stream;q=0.5, application/*;q=0.4"],
		["a JSON list", "text/event-stream;q=0"],
		["a JSON list", "*/*"],
		["a JSON list", "text/*"],
	])("returns %s if the request has the field `Accept: %s`", async (form, accept) => {
		const { headers } = await open("/api/events", { accept });
		const type = form === "an event stream" ? "text/event-stream" : "application/json";
		expect(headers.get("content-type")).toBe(type);
	});

	test("refuses the parameter `lastEventId` unless an event stream is requested", async () => {
		expect((await resort.call("GET", "/api/events?lastEventId=1")).status).toBe(400);
	});

	describe.each(["x", "-1", "1e3", "1".repeat(65)])("refuses to resume after the invalid id %p", (id) => {
		test.each([
			["Last-Event-ID", { "last-event-id": id }, "?since=0&lastEventId=0"],
			["lastEventId", {}, `?since=0&lastEventId=${id}`],
			["since", {}, `?since=${id}`],
		])("in %s, which the error names", async (field, more, query) => {
			const headers = { accept: "text/event-stream", ...more };
			const { status, body } = await resort.call("GET", `/api/events${query}`, { headers });
			expect([status, body.field]).toEqual([400, field]);
			expect(body.error).toStartWith(`${field} must be the id of an event, in digits`);
			const own = await resort.call("GET", `/api/me/events${query}`, { headers });
			expect(own.status).toBe(401);
		});
	});
});

test("HEAD /api/events returns the header fields of an event stream, and no body", async () => {
	const headers = { accept: "text/event-stream" };
	const response = await fetch(`http://127.0.0.1:${server.port}/api/events`, { method: "HEAD", headers });
	expect(response.headers.get("content-type")).toBe("text/event-stream");
	expect(await response.text()).toBe("");
});

describe("the event stream of GET /api/me/events", () => {
	test("resumes without the postcards from agents that the caller has blocked", async () => {
		const ada = await resort.register();
		const bob = await resort.guest();
		const start = await newest();
		const reading = await open("/api/me/events", as(ada));
		await resort.sendPostcard(bob, { message: "Hello", recipientId: ada.id });
		await reading.have(1);
		await resort.call("POST", "/api/me/blocked", { key: ada.key, body: { agentId: bob.id } });
		const path = `/api/me/events?since=${start}`;
		const resumed = await open(path, as(ada));
		expect(resumed.headers.get("access-control-allow-origin")).toBeNull();
		await resort.checkOut(bob);
		await resort.checkIn(ada);
		await resumed.have(1);
		expect(typesOf(resumed)).toEqual(["agent.relaxing"]);
		await resort.call("DELETE", `/api/me/blocked/${bob.id}`, { key: ada.key });
		const unblocked = await open(path, as(ada));
		await unblocked.have(2);
		expect(typesOf(unblocked)).toEqual(["postcard.received", "agent.relaxing"]);
	});

	test.each([
		["its key is replaced", "POST", "/api/me/api-key"],
		["its agent is deactivated", "DELETE", "/api/me"],
	] as const)("ends with a complete response when %s", async (_, method, path) => {
		const ada = await resort.register();
		const stream = await open("/api/me/events", as(ada));
		// Another stream of the same agent ends first. This must not affect `stream`.
		const other = await open("/api/me/events", as(ada));
		other.leave();
		await until(() => server.pendingRequests === 1);
		await resort.call(method, path, { key: ada.key });
		expect(await stream.end()).toBe("in order");
		expect((await open("/api/me/events", as(ada))).status).toBe(401);
	});

	test("ends when its session is logged out, while a stream that was opened with the agent's key continues", async () => {
		const ada = await resort.register();
		const session = await resort.login(ada.key);
		const withKey = await open("/api/me/events", as(ada));
		const withSession = await open("/api/me/events", { cookie: `__Host-resort_session=${session}` });
		await resort.call("DELETE", "/api/session", { session });
		expect(await withSession.end()).toBe("in order");
		await resort.checkIn(ada);
		await withKey.have(1);
		expect(withKey.ended).toBeNull();
	});
});
