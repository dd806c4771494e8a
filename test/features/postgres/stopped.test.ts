/** Stops PostgreSQL with SIGSTOP: the operating system still accepts connections, but nothing responds. */
import { expect } from "bun:test";
import { type Answered, type CallOptions, RemoteResort, resortAt } from "../../support/calls.ts";
import { serve } from "../../support/executable.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { operations } from "../../support/operations.ts";
import { steadyPort } from "../../support/ports.ts";
import { childrenOf } from "../../support/processes.ts";
import { until } from "../../support/until.ts";
import { QUICK, startCluster } from "./support/cluster.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

/** The time limit of each call: two seconds, and some tolerance for a busy machine. */
const LATEST_MS = 2_150;

/** On a very busy machine, a call may still be late, so the test fails only if it is late in all attempts. */
const MAX_ATTEMPTS = 3;

/**
 * The pause between the starts of two calls. It spreads the calls: some start before, some during and some
 * after a check for changes by other instances.
 */
const PAUSE_MS = 20;

/** Returns calls of every operation, and of some pages, forms, streams and tools, by name. */
async function callsOf(resort: RemoteResort): Promise<Record<string, () => Promise<Answered>>> {
	const { id, key } = await resort.register();
	const session = await resort.login(key);
	const calls: Record<string, () => Promise<Answered>> = {};
	const add = (name: string, method: string, path: string, options: CallOptions) => {
		calls[name] = () => resort.call(method, path, options);
	};
	for (const { method, path, credential, body } of operations) {
		const credentials = { none: {}, session: { session }, any: { key }, key: { key } }[credential];
		const sent = method === "GET" ? {} : { body: body?.good ?? {} };
		add(`${method} ${path}`, method, path.replace(":id", id), { ...credentials, ...sent });
	}
	for (const path of ["/", "/me", `/agents/${id}`, "/experiences", "/sitemap.xml"]) {
		add(`page ${path}`, "GET", path, { session, headers: { accept: "text/html" } });
	}
	for (const path of ["/api/events", "/api/me/events"]) {
		add(`stream ${path}`, "GET", path, { key, headers: { accept: "text/event-stream" } });
	}
	for (const path of ["/api/events?wait=20", `/api/agents/${id}/status?wait=20&until=relaxing`]) {
		add(path, "GET", path, {});
	}
	const form = { origin: resort.url, "content-type": "application/x-www-form-urlencoded" };
	for (const name of ["sign-out", "check-out", "profile", "key"]) {
		add(`form ${name}`, "POST", `/me/${name}`, { session, headers: form, raw: `apiKey=${key}` });
	}
	const headers = { accept: "application/json, text/event-stream" };
	for (const name of ["overview", "check_in", "lobby"]) {
		const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } };
		add(`tool ${name}`, "POST", "/mcp", { key, headers, body });
	}
	return calls;
}

testOnPostgres("a call that waits for events returns 503 if PostgreSQL is stopped meanwhile", async () => {
	await using cluster = await startCluster({ settings: QUICK });
	using folder = new TemporaryFolder();
	const resort = await serve(["--database", cluster.url, "--port", "0"], { cwd: folder.path });
	const since = (await resort.send("GET", "/api/events")).cursor;
	const waiting = resort.call("GET", `/api/events?since=${since}&wait=3`);
	await Bun.sleep(500);
	const processes = [cluster.pid, ...childrenOf(cluster.pid)];
	for (const id of processes) process.kill(id, "SIGSTOP");
	const { status } = await waiting.finally(() => {
		for (const id of processes) process.kill(id, "SIGCONT");
	});
	expect(status).toBe(503);
	expect((await resort.stop()).exitCode).toBe(0);
});

/** Calls that need the database, and must be answered with 503. */
const UNAVAILABLE = [
	"GET /api/health",
	"GET /api/lobby",
	"GET /api/me",
	"POST /api/checkin",
	"DELETE /api/sessions",
	"stream /api/events",
	"page /me",
	"form check-out",
];

/** Makes calls, and returns the status of each call and how long it took. The status of no response is 0. */
function endOfCalls(calls: Readonly<Record<string, () => Promise<Pick<Answered, "status">>>>) {
	return Promise.all(
		Object.entries(calls).map(async ([name, call], at) => {
			await Bun.sleep(at * PAUSE_MS);
			const startMs = performance.now();
			const { status } = await call().catch(() => ({ status: 0 }));
			return { name, status, tookMs: performance.now() - startMs };
		}),
	);
}

testOnPostgres(
	"every call is answered within two seconds while PostgreSQL is stopped by SIGSTOP",
	async () => {
		await using cluster = await startCluster({ settings: QUICK });
		using folder = new TemporaryFolder();
		const metrics = await steadyPort();
		const flags = ["--database", cluster.url, "--port", "0", "--rate-limits", "off"];
		const resort = await serve([...flags, "--metrics", "--metrics-port", `${metrics}`], { cwd: folder.path });
		const client = new RemoteResort(resort.url, { redirect: "manual", signal: AbortSignal.timeout(45_000) });
		let late: string[] = [];
		for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
			await until(async () => (await client.call("GET", "/api/health")).status === 200);
			const calls = {
				...(await callsOf(client)),
				metrics: () => resortAt(`http://127.0.0.1:${metrics}`).call("GET", "/metrics"),
			};
			const processes = [cluster.pid, ...childrenOf(cluster.pid)];
			const send = (name: NodeJS.Signals) => {
				for (const id of processes) process.kill(id, name);
			};
			send("SIGSTOP");
			const ended = await endOfCalls(calls).finally(() => send("SIGCONT"));
			const statuses = new Map(ended.map(({ name, status }) => [name, status]));
			for (const name of UNAVAILABLE) {
				expect([name, statuses.get(name)]).toEqual([name, 503]);
			}
			expect([...statuses.values()]).not.toContain(500);
			expect([...statuses.values()]).not.toContain(0);
			const lateNow = ended.filter(({ tookMs }) => tookMs > LATEST_MS).map(({ name }) => name);
			late = attempt === 1 ? lateNow : lateNow.filter((name) => late.includes(name));
			if (late.length === 0) break;
		}
		expect(late).toEqual([]);
		expect((await resort.stop()).exitCode).toBe(0);
	},
);
