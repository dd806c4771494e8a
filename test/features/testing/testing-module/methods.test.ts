import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { connect, startResort } from "../../../../src/features/testing/testing-module/start-resort.ts";
import type { RunningResort } from "../../../../src/features/testing/testing-module/testing-types.ts";
import { resortAt } from "../../../support/calls.ts";
import { executable } from "../../../support/executable.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { house, ids } from "../fixtures.ts";
import { startStranger } from "./project.ts";

const NOW = "2026-03-10T12:00:00.000Z";

const folder = useTemporaryFolder();
let resort: RunningResort;
beforeAll(async () => {
	resort = await startResort({ executable, fixtures: house(), now: NOW, frozen: true, seed: 1 });
});
beforeEach(() => resort.reset());
afterEach(() => {
	for (const name of ["URL", "AGENT_KEYS", "AGENT_KEYS_FILE"]) delete process.env[`RESORT_${name}`];
});
afterAll(() => resort.stop());

const state = () => resortAt(resort.url).send("GET", "/test/state");
const getStatus = () => fetch(`${resort.url}/api/agents/${ids.ada}/status`);

test("advance(), thaw() and freeze() change the clock of a resort", async () => {
	await resort.advance(60);
	expect((await state()).now).toBe("2026-03-10T12:01:00.000Z");
	await resort.thaw();
	expect(await state()).toMatchObject({ frozen: false });
	await Bun.sleep(10);
	await resort.freeze();
	const stopped = await state();
	expect(stopped).toMatchObject({ frozen: true });
	const passedMs = Date.parse(stopped.now) - Date.parse("2026-03-10T12:01:00.000Z");
	expect(passedMs).toBeWithin(10, 60_000);
	expect((await state()).now).toBe(stopped.now);
});

test("setTime() sets the clock, even to the past; state() returns the numbers of agents and guests", async () => {
	await resort.setTime("2030-01-01T00:00:00Z");
	const now = "2030-01-01T00:00:00.000Z";
	expect(await resort.state()).toEqual({ now, frozen: true, agents: 2, guests: 1 });
	await resort.setTime(new Date(NOW));
	expect((await resort.state()).now).toBe(NOW);
	await expect(resort.setTime(new Date(Number.NaN))).rejects.toThrow("now is an Invalid Date");
	await expect(resort.setTime("soon")).rejects.toThrow("now must be a UTC");
});

test("faults() returns the armed faults, and clearFaults() disarms them", async () => {
	const operation = "getAgentStatus";
	const first = await resort.fault({ operation, status: 503, times: 0 });
	const second = await resort.fault({ operation, drop: true, ids: [ids.bob] });
	expect(await resort.faults()).toEqual([first, second]);
	expect(second).toMatchObject({ drop: true, ids: [ids.bob], left: 1 });
	expect((await getStatus()).status).toBe(503);
	expect(first.left).toBeNull();
	await resort.clearFaults();
	expect(await resort.faults()).toEqual([]);
	expect((await getStatus()).status).toBe(200);
});

test("calls() returns all recorded calls, or those of an operation or agent; clearCalls() deletes all", async () => {
	await getStatus();
	await resortAt(resort.url).send("GET", "/api/me", { key: resort.keys[ids.bob] });
	const calls = await resort.calls();
	expect(calls.map(({ operation }) => operation)).toEqual(["getMe", "getAgentStatus"]);
	expect(calls[0]).toMatchObject({ path: "/api/me", agentId: ids.bob });
	expect(await resort.calls({ agentId: ids.bob })).toEqual(calls.slice(0, 1));
	expect(await resort.calls({ operation: "getAgentStatus" })).toEqual(calls.slice(1));
	await resort.clearCalls();
	expect(await resort.calls()).toEqual([]);
});

test("connect() returns the resort whose address is in RESORT_URL, with the agents' keys from the environment", async () => {
	process.env.RESORT_URL = resort.url;
	process.env.RESORT_AGENT_KEYS = JSON.stringify(resort.keys);
	const known = await connect();
	expect([known.url, known.keys]).toEqual([resort.url, resort.keys]);
	delete process.env.RESORT_AGENT_KEYS;
	process.env.RESORT_AGENT_KEYS_FILE = `${folder.write(JSON.stringify(resort.keys))}\n`;
	expect((await connect()).keys).toEqual(resort.keys);
	await known.advance(60);
	expect((await resort.state()).now).toBe("2026-03-10T12:01:00.000Z");
	process.env.RESORT_URL = "http://127.0.0.1:1";
	await expect(connect()).rejects.toThrow(/^http:\/\/127\.0\.0\.1:1 does not answer: .+/);
	const given = await connect(`${resort.url}/`);
	expect([given.url, given.keys]).toEqual([resort.url, {}]);
	delete process.env.RESORT_URL;
	await expect(connect()).rejects.toThrow("requires an address or RESORT_URL");
});

test("connect() uses RESORT_AGENT_KEYS even if its argument and RESORT_URL differ in form", async () => {
	const upper = resort.url.replace("http", "HTTP");
	process.env.RESORT_AGENT_KEYS = JSON.stringify(resort.keys);
	for (const known of [resort.url, `${resort.url}/`, `${resort.url}\n`, upper]) {
		process.env.RESORT_URL = known;
		for (const given of [undefined, resort.url, `${resort.url}//`, upper]) {
			const { url, keys } = await connect(given);
			expect({ known, given, url, keys }).toEqual({ known, given, url: resort.url, keys: resort.keys });
		}
	}
});

test("connect() rejects with an error that names the address if no resort with test controls answers there", async () => {
	using other = startStranger();
	const at = `http://127.0.0.1:${other.port}`;
	await using plain = await folder.serve(["--ephemeral"]);
	for (const [url, reason] of [
		["127.0.0.1:1", '"127.0.0.1:1" must be an address such as'],
		["ftp://127.0.0.1", '"ftp://127.0.0.1" must be an address such as'],
		[at, `${at} is not a resort: it answered 200 "<h1>Hello</h1>"`],
		[`${at}/json`, `${at}/json is not a resort: it answered 201 "{`],
		[plain.url, `${plain.url} has no test controls: start the resort with --e`],
	] as const) {
		await expect(connect(url)).rejects.toThrow(reason);
	}
});

test("a method rejects with the error and the hint of the resort if the resort refuses its call", async () => {
	await expect(resort.advance(Number.NaN)).rejects.toThrow("advanceSeconds must be a number");
	const never = { operation: "getLobby", status: 503, times: Infinity };
	await expect(resort.fault(never)).rejects.toThrow("times must be a number");
	const mistyped = { operation: "getAgentStatus", status: 500, time: 2 };
	await expect(resort.fault(mistyped)).rejects.toThrow("Unknown field time. Did you mean times?");
	const unknown: object = { operaton: "getAgentStatus" };
	const reason = "Unknown parameter operaton. Did you mean operation?";
	await expect(resort.calls(unknown)).rejects.toThrow(reason);
});
