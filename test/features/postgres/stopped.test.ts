/** Stops PostgreSQL (SIGSTOP): its machine still accepts connections, but nothing responds. */
import { expect } from "bun:test";
import { resortAt } from "../../support/calls.ts";
import { type Serving, serve } from "../../support/executable.ts";
import { TemporaryFolder } from "../../support/folder.ts";
import { operations } from "../../support/operations.ts";
import { steadyPort } from "../../support/ports.ts";
import { childrenOf } from "../../support/processes.ts";
import { QUICK, startCluster } from "./support/cluster.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

/** Two seconds, and some tolerance for a busy machine. */
const LATEST_MS = 2_150;

/** The pause between two calls: some start before, some during and some after a freshness check. */
const PAUSE_MS = 20;

type NamedCall = readonly [name: string, path: string, init?: RequestInit];

/** Returns calls of every operation, and of some pages, forms, streams and tools, by name. */
async function callsOf({ url }: Serving): Promise<NamedCall[]> {
	const { agent, apiKey } = await resortAt(url).send("POST", "/api/agents", { body: { name: "Ada" } });
	const post = (body: object, headers: Record<string, string> = {}) => ({
		method: "POST",
		headers: { "content-type": "application/json", ...headers },
		body: JSON.stringify(body),
	});
	const session = await fetch(`${url}/api/session`, post({ apiKey }));
	const [cookie = ""] = (session.headers.get("set-cookie") ?? "").split(";");
	const key = { authorization: `Bearer ${apiKey}` };
	const stream = { accept: "text/event-stream" };
	const html = { accept: "text/html", cookie };
	const get = (path: string, headers: Record<string, string> = {}): NamedCall => [
		`GET ${path} ${Object.keys(headers)}`,
		path,
		{ headers },
	];
	const ofOperations = operations.map(({ method, path, credential, body }): NamedCall => {
		const headers = { none: {}, session: { cookie } }[credential as string] ?? key;
		const { body: sent, ...init } = post(body?.good ?? {}, headers);
		const call = { ...init, method, ...(method !== "GET" && { body: sent }) };
		return [`${method} ${path}`, path.replace(":id", agent.id), call];
	});
	const form = { headers: { cookie, origin: url }, method: "POST", body: new URLSearchParams({ apiKey }) };
	const tool = (name: string) => {
		const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } };
		return post(call, { ...key, accept: "application/json, text/event-stream" });
	};
	return [
		...ofOperations,
		...["/", "/me", `/agents/${agent.id}`, "/experiences", "/sitemap.xml"].map((path) => get(path, html)),
		get("/api/events", stream),
		get("/api/me/events", { ...stream, ...key }),
		get("/api/events?wait=20"),
		get(`/api/agents/${agent.id}/status?wait=20&until=relaxing`),
		...["sign-out", "check-out", "profile", "key"].map(
			(name) => [`form ${name}`, `/me/${name}`, form] as const,
		),
		...["overview", "check_in", "lobby"].map((name) => [`tool ${name}`, "/mcp", tool(name)] as const),
	];
}

testOnPostgres(
	"the resort responds to every call within two seconds while the database server is stopped",
	async () => {
		await using cluster = await startCluster({ settings: QUICK });
		using folder = new TemporaryFolder();
		const metrics = await steadyPort();
		const flags = ["--database", cluster.url, "--port", "0", "--rate-limits", "off"];
		const resort = await serve([...flags, "--metrics", "--metrics-port", `${metrics}`], { cwd: folder.path });
		const calls = await callsOf(resort);
		calls.push(["metrics", `http://127.0.0.1:${metrics}/metrics`]);
		const processes = [cluster.pid, ...childrenOf(cluster.pid)];
		const signal = (name: NodeJS.Signals) => {
			for (const id of processes) process.kill(id, name);
		};
		signal("SIGSTOP");
		const late: string[] = [];
		const statuses = new Map<string, number>();
		try {
			await Promise.all(
				calls.map(async ([name, path, init], at) => {
					await Bun.sleep(at * PAUSE_MS);
					const startMs = performance.now();
					const options = { redirect: "manual" as const, signal: AbortSignal.timeout(10_000), ...init };
					const { status } = await fetch(new URL(path, resort.url), options).catch(() => ({ status: 0 }));
					const tookMs = performance.now() - startMs;
					if (tookMs > LATEST_MS) late.push(`${name}: ${tookMs.toFixed(0)} ms`);
					statuses.set(name, status);
				}),
			);
		} finally {
			signal("SIGCONT");
		}
		expect(late).toEqual([]);
		for (const name of [
			"GET /api/health",
			"GET /api/lobby",
			"GET /api/me",
			"POST /api/checkin",
			"DELETE /api/sessions",
			"GET /api/events accept",
			"GET /me accept,cookie",
			"form check-out",
		]) {
			expect([name, statuses.get(name)]).toEqual([name, 503]);
		}
		expect([...statuses.values()]).not.toContain(500);
		expect([...statuses.values()]).not.toContain(0);
		expect((await resort.stop()).exitCode).toBe(0);
	},
);
