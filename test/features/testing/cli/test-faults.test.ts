import { beforeEach, describe, expect, test } from "bun:test";
import { EventReader } from "../../../support/event-reader.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { useServer } from "../../../support/use-resort.ts";
import { visit } from "../../../support/visit.ts";
import { transcript } from "../../../support/wire.ts";
import { prepareMetrics } from "../../metrics/exposition.ts";

const folder = useTemporaryFolder();
const metrics = await prepareMetrics();
const resort = useServer(
	["--ephemeral", "--test-controls", ...metrics.flags],
	{ cwd: folder.path },
	({ exitCode, stderr }) => {
		expect(exitCode).toBe(0);
		// Connections that a fault or a client closes are not logged as errors.
		expect(stderr).not.toMatch(/error/i);
	},
);
beforeEach(() => resort.send("POST", "/test/reset"));

const arm = (body: object) => resort.send("POST", "/test/faults", { body });

/** Waits until a call of an operation is recorded, and returns the recorded calls of the operation. */
async function recorded(operation: string) {
	const calls = async () => (await resort.send("GET", `/test/calls?operation=${operation}`)).calls;
	await until(async () => (await calls()).length > 0);
	return calls();
}

describe('a fault with "drop": true', () => {
	const id = "00000000-0000-7000-8000-000000000000";
	test.each([
		["getAgentStatus", `GET /api/agents/${id}/status`],
		["checkIn", "POST /api/checkin"],
		["listEvents", "GET /api/events HTTP/1.1\nAccept: text/event-stream"],
		["showHome", "GET / HTTP/1.1\nAccept: text/html"],
		["getHealth", "HEAD /api/health"],
	])("closes the connection of a call of %s before a byte is sent", async (operation, line) => {
		await arm({ operation, drop: true });
		const [first, ...fields] = line.split(" HTTP/1.1");
		const head = `${first} HTTP/1.1\nHost: localhost${fields.join("")}\n\n`;
		expect(await transcript(resort.port, { parts: [head.replaceAll("\n", "\r\n")] })).toBe("");
	});

	test("affects calls of MCP tools, and so does a fault with a status", async () => {
		const params = { name: "lobby", arguments: {} };
		const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
		const call = () => resort.call("POST", "/mcp", { body });
		await arm({ operation: "getLobby", drop: true });
		expect(await call().catch(({ code }) => code)).toBe("ECONNRESET");
		await arm({ operation: "getLobby", status: 503, retryAfterSeconds: 3 });
		const { result } = JSON.parse((await call()).text);
		expect(result.isError).toBe(true);
		const told = { error: "Service unavailable", tool: "lobby", retryAfterSeconds: 3 };
		expect(JSON.parse(result.content[0].text)).toEqual(told);
		const { calls } = await resort.send("GET", "/test/calls");
		expect(calls).toMatchObject([
			{ operation: "getLobby", path: "/mcp", status: 200, fault: "2" },
			{ operation: "getLobby", path: "/mcp", status: null, fault: "1" },
		]);
	});
});

test('an event stream gets the event "reset" after POST /test/events and POST /test/reset, and is closed by POST /test/streams', async () => {
	await visit(resort.url);
	const stream = await EventReader.open(`${resort.url}/api/events`);
	const next = String(Number(stream.lastId) + 1);
	await resort.send("POST", "/test/events", { body: { forget: true } });
	expect(await stream.have(1)).toMatchObject([{ event: "reset", id: next }]);
	await resort.send("POST", "/test/reset");
	expect((await stream.have(2))[1]).toMatchObject({ event: "reset", id: "0" });
	await visit(resort.url);
	expect((await stream.have(3))[2]).toMatchObject({ id: "1" });
	const cut = await resort.send("POST", "/test/streams", { body: { cut: true } });
	expect(cut).toMatchObject({ streams: 1, calls: 0 });
	expect(await stream.end()).toBeInstanceOf(Error);
	const headers = { "last-event-id": next };
	const other = await EventReader.open(`${resort.url}/api/events`, headers);
	expect((await other.have(1))[0]).toMatchObject({ event: "reset" });
	other.leave();
});

test("a call whose client has disconnected is recorded without a status", async () => {
	const { cursor } = await resort.send("GET", "/api/events");
	await resort.send("DELETE", "/test/calls");
	const stop = new AbortController();
	const url = `${resort.url}/api/events?since=${cursor}&wait=30`;
	const gone = fetch(url, { signal: stop.signal }).catch(({ name }) => name);
	await metrics.untilReaders("0,1");
	stop.abort();
	expect(await gone).toBe("AbortError");
	await metrics.untilReaders("0,0");
	expect(await recorded("listEvents")).toMatchObject([{ status: null, fault: null }]);
});

describe("a delayed call", () => {
	test("changes nothing if the client disconnects", async () => {
		const { apiKey } = await visit(resort.url);
		await arm({ operation: "checkOut", delayMs: 400 });
		const signal = AbortSignal.timeout(100);
		const headers = { authorization: `Bearer ${apiKey}` };
		const gone = fetch(`${resort.url}/api/checkout`, { method: "POST", headers, signal });
		expect(await gone.catch(({ name }) => name)).toBe("TimeoutError");
		expect(await recorded("checkOut")).toMatchObject([{ status: null }]);
		expect(await resort.send("GET", "/test/state")).toMatchObject({ guests: 1 });
	});

	test("does not delay the shutdown of its instance", async () => {
		const own = await folder.serve(["--ephemeral", "--test-controls"]);
		await own.send("POST", "/test/faults", { body: { operation: "getLobby", delayMs: 60_000 } });
		const answer = fetch(`${own.url}/api/lobby`);
		await until(async () => (await own.send("GET", "/test/faults")).faults.length === 0);
		const startedAt = performance.now();
		expect((await own.stop()).exitCode).toBe(0);
		expect(performance.now() - startedAt).toBeLessThan(8_000);
		expect((await answer).status).toBe(200);
	});
});
