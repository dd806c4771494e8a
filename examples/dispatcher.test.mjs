// Tests of a dispatcher: a program that takes the ids of agents as arguments and the address of the resort
// from RESORT_URL, and prints "assign ID" whenever one of them may get work. It is the one of
// examples/dispatcher/stream.mjs, or the command in DISPATCHER. The resort is a real one. Run them in the
// root of the repository, once it is built, with Node 20 (or with `npx bun test
// ./examples/dispatcher.test.mjs`):
//   RESORT_EXECUTABLE=dist/resort node --test examples/dispatcher.test.mjs
// Your project installs the module from dist/agent-resort-client.tgz.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startResort } from "agent-resort/testing";

const [program, ...args] = process.env.DISPATCHER?.split(" ") ?? ["node", "examples/dispatcher/stream.mjs"];
const TIMEOUT_MS = 10_000;

// A hundred agents, all of them available but Ada, whose stay ends after ten more minutes.
const ids = Array.from({ length: 100 }, (_, at) => `00000000-0000-7000-8000-${String(at).padStart(12, "0")}`);
const [ada, bob] = ids;
const resort = await startResort({
	fixtures: {
		agents: ids.map((id) => ({ id, name: "Agent", createdAt: "-1h" })),
		stays: [{ agentId: ada, checkedInAt: "-50m" }],
	},
	now: "2026-03-10T12:00:00Z",
	frozen: true,
	maxStay: 1,
});
let dispatcher;
beforeEach(() => resort.reset());
afterEach(() => dispatcher.kill("SIGKILL"));
after(() => resort.stop());

/** Starts the dispatcher, and returns the ids that it assigns work to. */
function start(...agents) {
	const env = { ...process.env, RESORT_URL: resort.url };
	dispatcher = spawn(program, [...args, ...agents], { env, stdio: ["ignore", "pipe", "ignore"] });
	const assigned = [];
	createInterface(dispatcher.stdout).on("line", (line) => assigned.push(line.replace("assign ", "")));
	return assigned;
}

async function until(isTrue) {
	const untilMs = Date.now() + TIMEOUT_MS;
	while (!(await isTrue())) {
		assert.ok(Date.now() < untilMs, `not reached: ${isTrue}`);
		await sleep(20);
	}
}

/** Cuts the connection over which the dispatcher waits. */
const cut = () => until(async () => Object.values(await resort.cutStreams()).some(Boolean));

test("a guest gets no work until its stay ends", async () => {
	const assigned = start(ada, bob);
	await until(() => assigned.length > 0);
	await resort.advance(9 * 60);
	assert.deepEqual(assigned, [bob]);
	await resort.advance(60);
	await until(() => assigned.length > 1);
	assert.deepEqual(assigned, [bob, ada]);
});

test("one call asks for a hundred agents", async () => {
	const assigned = start(...ids);
	await until(() => assigned.length === 99);
	assert.equal((await resort.calls({ operation: "listAgentStatuses" })).length, 1);
});

test("a connection that is cut is opened again", async () => {
	const assigned = start(ada, bob);
	await until(() => assigned.length > 0);
	await cut();
	await resort.advance(600);
	await until(() => assigned.includes(ada));
});

test("after forgotten events the statuses are read anew", async () => {
	const assigned = start(ada, bob);
	await until(() => assigned.length > 0);
	await resort.fault({ operation: "listEvents", status: 503, times: 0 });
	await cut();
	await resort.advance(600);
	await resort.forgetEvents();
	await resort.clearFaults();
	await until(() => assigned.includes(ada));
});

for (const [name, fault] of [
	["an error", { status: 500 }],
	["the page of a proxy", { status: 502, body: "<h1>Bad gateway</h1>" }],
	["a lost connection", { drop: true }],
	["a limit", { status: 429, retryAfterSeconds: 1 }],
]) {
	test(`${name} is survived`, async () => {
		const { id } = await resort.fault({ operation: "GET /api/agents/status", ...fault });
		const startedMs = Date.now();
		const assigned = start(bob);
		await until(() => assigned.length > 0);
		assert.deepEqual(assigned, [bob]);
		assert.ok(Date.now() - startedMs >= 1000 * (fault.retryAfterSeconds ?? 0));
		const calls = await resort.calls({ operation: "GET /api/agents/status" });
		assert.deepEqual(
			calls.map((call) => call.fault),
			[null, id],
		);
	});
}
