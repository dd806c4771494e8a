/** A PostgreSQL that is stopped (SIGSTOP): its machine accepts connections, but nothing answers. */
import { expect } from "bun:test";
import { type Serving, serve, temporaryFolder } from "../../support/executable.ts";
import { operations } from "../../support/operations.ts";
import { QUICK, startCluster } from "../../support/postgres/cluster.ts";
import { steadyPort } from "../../support/postgres/ports.ts";
import { childrenOf } from "../../support/postgres/processes.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";
import { ask } from "../../support/visit.ts";

/** Two seconds, and a little for a machine that is busy with this test. */
const LATEST_MS = 2_150;

/** The pause between two calls: they come before, during and after the checks of the first ones. */
const PAUSE_MS = 20;

type NamedCall = [name: string, call: () => Promise<Response>];

type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Returns calls of every operation, page, form, stream and of some tools, by name. */
async function callsOf({ url }: Serving): Promise<NamedCall[]> {
	const json = { "content-type": "application/json" };
	const send: Send = (path, init) =>
		fetch(url + path, { redirect: "manual", signal: AbortSignal.timeout(10_000), ...init });
	const post = (path: string, body: object, headers: Record<string, string> = {}) =>
		send(path, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });
	const { agent, apiKey } = await ask(url, "POST", "/api/agents", { key: "", body: { name: "Ada" } });
	const session = await post("/api/session", { apiKey });
	const [cookie = ""] = (session.headers.get("set-cookie") ?? "").split(";");
	const key = { authorization: `Bearer ${apiKey}` };
	const stream = { accept: "text/event-stream" };
	const html = { accept: "text/html", cookie };
	const get = (path: string, headers: Record<string, string> = {}): NamedCall => [
		`GET ${path} ${Object.keys(headers)}`,
		() => send(path, { headers }),
	];
	return [
		...operations.map(
			({ method, path, credential, body }): NamedCall => [
				`${method} ${path}`,
				() =>
					send(path.replace(":id", agent.id), {
						method,
						headers: {
							...json,
							...(credential === "session" ? { cookie } : credential === "none" ? {} : key),
						},
						...(method !== "GET" && { body: JSON.stringify(body?.good ?? {}) }),
					}),
			],
		),
		...["/", "/me", `/agents/${agent.id}`, "/experiences", "/sitemap.xml"].map((path) => get(path, html)),
		get("/api/events", stream),
		get("/api/me/events", { ...stream, ...key }),
		get("/api/events?wait=20"),
		get(`/api/agents/${agent.id}/status?wait=20&until=relaxing`),
		...["sign-out", "check-out", "profile", "key"].map(
			(form): NamedCall => [
				`form ${form}`,
				() =>
					send(`/me/${form}`, {
						method: "POST",
						headers: { cookie, origin: url },
						body: new URLSearchParams({ apiKey }),
					}),
			],
		),
		...["overview", "check_in", "lobby"].map(
			(name): NamedCall => [
				`tool ${name}`,
				() =>
					post(
						"/mcp",
						{
							jsonrpc: "2.0",
							id: 1,
							method: "tools/call",
							params: { name, arguments: {} },
						},
						{ ...key, accept: "application/json, text/event-stream" },
					),
			],
		),
	];
}

testOnPostgres("while the server is stopped, every call is answered within two seconds", async () => {
	await using cluster = await startCluster({ settings: QUICK });
	using folder = temporaryFolder();
	const metrics = await steadyPort();
	const resort = await serve(
		[
			"--database",
			cluster.url,
			"--port",
			"0",
			"--rate-limits",
			"off",
			"--metrics",
			"--metrics-port",
			`${metrics}`,
		],
		{ cwd: folder.path },
	);
	const calls = await callsOf(resort);
	calls.push(["metrics", () => fetch(`http://127.0.0.1:${metrics}/metrics`)]);
	const processes = [cluster.pid, ...childrenOf(cluster.pid)];
	const signal = (name: NodeJS.Signals) => {
		for (const id of processes) process.kill(id, name);
	};
	signal("SIGSTOP");
	const late: string[] = [];
	const statuses = new Map<string, number>();
	try {
		await Promise.all(
			calls.map(async ([name, call], at) => {
				await Bun.sleep(at * PAUSE_MS);
				const startMs = performance.now();
				const { status } = await call().catch(() => ({ status: 0 }));
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
});
