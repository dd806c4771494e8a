/** Stops PostgreSQL with SIGSTOP: the operating system still accepts connections, but nothing responds. */
import { expect } from "bun:test";
import { type Answered, type CallOptions, RemoteResort, resortAt } from "../../support/calls.ts";
import { serve } from "../../support/executable.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { operations } from "../../support/operations.ts";
import { steadyPort } from "../../support/ports.ts";
import { childrenOf } from "../../support/processes.ts";
import { QUICK, startCluster } from "./support/cluster.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

/** The time limit of each call: two seconds, and some tolerance for a busy machine. */
const LATEST_MS = 2_150;

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

testOnPostgres(
	"every call is answered within two seconds while PostgreSQL is stopped by SIGSTOP",
	async () => {
		await using cluster = await startCluster({ settings: QUICK });
		using folder = new TemporaryFolder();
		const metrics = await steadyPort();
		const flags = ["--database", cluster.url, "--port", "0", "--rate-limits", "off"];
		const resort = await serve([...flags, "--metrics", "--metrics-port", `${metrics}`], { cwd: folder.path });
		const signal = AbortSignal.timeout(30_000);
		const calls = {
			...(await callsOf(new RemoteResort(resort.url, { redirect: "manual", signal }))),
			metrics: () => resortAt(`http://127.0.0.1:${metrics}`).call("GET", "/metrics"),
		};
		const processes = [cluster.pid, ...childrenOf(cluster.pid)];
		const send = (name: NodeJS.Signals) => {
			for (const id of processes) process.kill(id, name);
		};
		send("SIGSTOP");
		const late: string[] = [];
		const statuses = new Map<string, number>();
		try {
			await Promise.all(
				Object.entries(calls).map(async ([name, call], at) => {
					await Bun.sleep(at * PAUSE_MS);
					const startMs = performance.now();
					const { status } = await call().catch(() => ({ status: 0 }));
					const tookMs = performance.now() - startMs;
					if (tookMs > LATEST_MS) late.push(`${name}: ${tookMs.toFixed(0)} ms`);
					statuses.set(name, status);
				}),
			);
		} finally {
			send("SIGCONT");
		}
		expect(late).toEqual([]);
		for (const name of [
			"GET /api/health",
			"GET /api/lobby",
			"GET /api/me",
			"POST /api/checkin",
			"DELETE /api/sessions",
			"stream /api/events",
			"page /me",
			"form check-out",
		]) {
			expect([name, statuses.get(name)]).toEqual([name, 503]);
		}
		expect([...statuses.values()]).not.toContain(500);
		expect([...statuses.values()]).not.toContain(0);
		expect((await resort.stop()).exitCode).toBe(0);
	},
);
