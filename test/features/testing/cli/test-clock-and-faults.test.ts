import { beforeEach, describe, expect, test } from "bun:test";
import { EventReader } from "../../../support/event-reader.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { useServer } from "../../../support/use-resort.ts";
import { visit } from "../../../support/visit.ts";
import { transcript } from "../../../support/wire.ts";
import { prepareMetrics } from "../../metrics/exposition.ts";
import { keyOf } from "../fixtures.ts";

const folder = useTemporaryFolder();
const metrics = await prepareMetrics();
const NOW = "2026-03-10T12:00:00.000Z";
const ada = "00000000-0000-7000-8000-00000000000a";
const key = keyOf("a");
const fixtures = {
	agents: [{ id: ada, name: "Ada", apiKey: key, createdAt: "-2d" }],
	stays: [{ agentId: ada, checkedInAt: "-59m" }],
	postcards: [{ senderId: ada, message: "Hello", createdAt: "0s" }],
};
folder.write(JSON.stringify(fixtures), "house.json");
const controls = ["--test-controls", "--now", NOW, "--frozen"];
const settings = ["--fixtures", "house.json", "--max-stay", "1"];
const resort = useServer(
	["--ephemeral", ...controls, ...settings, ...metrics.flags],
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

const untilOneWaits = () => metrics.untilReaders("0,1");
const state = () => resort.send("GET", "/test/state");
const get = (path: string) => resort.send("GET", path, { key });
const post = (path: string, body?: object) => resort.send("POST", path, { key, body });

describe('an injected fault with "drop": true', () => {
	const id = "00000000-0000-7000-8000-000000000000";
	test.each([
		["getAgentStatus", `GET /api/agents/${id}/status`],
		["checkIn", "POST /api/checkin"],
		["listEvents", "GET /api/events HTTP/1.1\nAccept: text/event-stream"],
		["showHome", "GET / HTTP/1.1\nAccept: text/html"],
		["getHealth", "HEAD /api/health"],
	])("closes the connection of a %s call before a byte of the response is sent", async (operation, line) => {
		await arm({ operation, drop: true });
		const [first, ...fields] = line.split(" HTTP/1.1");
		const head = `${first} HTTP/1.1\nHost: localhost${fields.join("")}\n\n`;
		expect(await transcript(resort.port, { parts: [head.replaceAll("\n", "\r\n")] })).toBe("");
	});

	test("closes the connection if it affects the call of an MCP tool", async () => {
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

test('POST /test/events and POST /test/reset send the event "reset" to event streams, and POST /test/streams closes them', async () => {
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

describe("a call that a fault delays", () => {
	test("changes nothing if its client disconnects during the delay", async () => {
		await arm({ operation: "checkOut", delayMs: 400 });
		const signal = AbortSignal.timeout(100);
		const headers = { authorization: `Bearer ${key}` };
		const gone = fetch(`${resort.url}/api/checkout`, { method: "POST", headers, signal });
		expect(await gone.catch(({ name }) => name)).toBe("TimeoutError");
		expect(await recorded("checkOut")).toMatchObject([{ status: null }]);
		expect(await state()).toMatchObject({ guests: 1 });
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

describe("a resort with `--now` and `--frozen`", () => {
	test("stops its clock at the time of `--now`, and computes relative times in fixtures from it", async () => {
		expect(await state()).toMatchObject({ now: NOW, frozen: true, guests: 1 });
		await Bun.sleep(30);
		expect((await state()).now).toBe(NOW);
		expect((await get("/api/stays/current")).stay.checkedInAt).toBe("2026-03-10T11:01:00.000Z");
		expect((await get("/api/me")).agent.createdAt).toBe("2026-03-08T12:00:00.000Z");
		expect((await get("/api/postcards")).postcards[0]?.createdAt).toBe(NOW);
	});

	test("records a waiting call with the time at which the call arrived", async () => {
		const waiting = get(`/api/agents/${ada}/status?until=available&wait=10`);
		await untilOneWaits();
		await post("/test/clock", { advanceSeconds: 7_200 });
		expect((await waiting).status).toBe("available");
		const { calls } = await get("/test/calls?operation=getAgentStatus");
		expect(calls).toMatchObject([{ at: NOW }]);
	});

	test("ends a stay when the clock is moved to the end of the stay, and not before", async () => {
		await post("/test/clock", { now: "2026-03-10T12:00:59.999Z" });
		const { cursor } = await get("/api/events?limit=1");
		await Bun.sleep(100);
		const status = () => get(`/api/agents/${ada}/status`);
		expect((await status()).status).toBe("relaxing");
		const waiting = get(`/api/events?since=${cursor}&wait=5`);
		await post("/test/clock", { now: "2026-03-10T12:01:00.000Z" });
		expect((await waiting).events).toMatchObject([{ type: "agent.available", reason: "max_stay" }]);
		expect((await status()).status).toBe("available");
	});

	test("ends a stay on time once its clock runs again, and freezes the clock at a reset", async () => {
		await post("/test/clock", { now: "2026-03-10T12:00:59.900Z" });
		const waiting = get(`/api/agents/${ada}/status?until=available&wait=30`);
		await untilOneWaits();
		await post("/test/clock", { frozen: false });
		const startedAt = performance.now();
		expect((await waiting).status).toBe("available");
		expect(performance.now() - startedAt).toBeLessThan(15_000);
		expect(await state()).toMatchObject({ frozen: false, guests: 0 });
		expect(await post("/test/reset")).toMatchObject({ now: NOW, frozen: true, guests: 1 });
	});

	test("measures the duration of a waiting call in real time", async () => {
		const startedAt = performance.now();
		expect((await get(`/api/agents/${ada}/status?until=available&wait=1`)).status).toBe("relaxing");
		expect(performance.now() - startedAt).toBeGreaterThan(950);
	});
});

test("`resort test` accepts `--now`, `--frozen`, `--log-level` and `--log-format`", async () => {
	const flags = [...controls, "--log-level", "info", "--log-format", "text"];
	const command = ["test", ...flags, "--", "sh", "-c", 'curl -fsS "$RESORT_URL/test/state"'];
	const env = { PATH: process.env.PATH ?? "" };
	const { stdout, stderr } = await folder.run(command, { env });
	expect(JSON.parse(stdout)).toMatchObject({ now: NOW, frozen: true });
	expect(stderr).toMatch(/INFO request GET \/test\/state 200/);
});
