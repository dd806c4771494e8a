/** Tests the executable behind nginx and Caddy: restarts, waiting calls, and several instances. */
import { describe, expect, test } from "bun:test";
import http from "node:http";
import https from "node:https";
import { SQL } from "bun";
import { installations } from "../features/postgres/support/installations.ts";
import { newDatabase } from "../features/postgres/support/shared.ts";
import { testOnPostgres } from "../features/postgres/support/test-on-postgres.ts";
import type { RemoteResort } from "../support/calls.ts";
import { readDocument } from "../support/documents.ts";
import { type Serving, serve } from "../support/executable.ts";
import { testWith } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { nginxTools, type Replacements } from "./nginx.ts";
import { behindProxy, type StartBehind, throughCaddy, throughNginx } from "./proxied.ts";

/** Flags that enable every way to wait for events, and turn rate limits off. */
const FOR_WAITING = ["--rate-limits=off", "--webhooks=on", "--webhooks-allow=127.0.0.1"];

/** Raises the rate limit, because in these tests the calls of several clients come from one address. */
const WITHOUT_LIMIT: Replacements = [["rate=50r/s", "rate=5000r/s"]];

/** Starts three instances on one database, behind nginx. */
async function severalThroughNginx() {
	const database = await newDatabase();
	const instances: Serving[] = [];
	const flags = [
		`--database=${database}`,
		"--database-connections=4",
		"--trusted-proxies=127.0.0.1,::1",
		"--base-url=https://resort.example.com",
		...FOR_WAITING,
	];
	const start: StartBehind = async (ports, cwd) => {
		for (const port of ports) instances.push(await serve([...flags, `--port=${port}`], { cwd }));
		return () => Promise.all(instances.map((one) => one.stop("SIGKILL")));
	};
	const nginx = await throughNginx(start, WITHOUT_LIMIT, "nginx.postgres.conf");
	return { ...nginx, database, instances };
}

test("deploy/nginx.postgres.conf contains all lines of deploy/nginx.conf except comments and the instance's address", () => {
	const linesOf = (name: string) => readDocument(`deploy/${name}`).split("\n");
	const several = linesOf("nginx.postgres.conf");
	const lacking = linesOf("nginx.conf").filter((line) => !several.includes(line) && !/^\s*#/.test(line));
	expect(lacking).toEqual(["\tserver 127.0.0.1:3000;"]);
});

function testSeveral(name: string, body: () => Promise<void>): void {
	if (installations.length === 0) testOnPostgres(name, body);
	else testWith(nginxTools, name, body);
}

testSeveral(
	"deploy/nginx.postgres.conf forwards to all instances, which see each other's writes",
	async () => {
		await using context = await severalThroughNginx();
		const { resort } = context;
		const { id, key } = await resort.register();
		const statusOf = async () => (await resort.send("GET", `/api/agents/${id}/status`)).status;
		for (let round = 0; round < 6; round++) {
			for (const move of ["checkin", "activities/tidepool-float/do"]) {
				expect((await resort.call("POST", `/api/${move}`, { key })).status).toBe(201);
				expect(await statusOf()).toBe("relaxing");
			}
			expect((await resort.call("POST", "/api/checkout", { key })).status).toBe(200);
			expect(await statusOf()).toBe("available");
		}
		expect((await resort.call("POST", "/api/checkin?_wait=1", { key })).status).toBe(201);
		for (const instance of context.instances) {
			const { stderr } = await instance.stop();
			expect(stderr).toContain('"message":"request"');
		}
		const { status, headers, text } = await resort.call("GET", "/api/lobby");
		expect(status).toBe(503);
		expect(headers.get("retry-after")).toBe("2");
		expect(JSON.parse(text)).toEqual({ error: "Resort unavailable" });
	},
);

testSeveral(
	"deploy/nginx.postgres.conf retries GET requests, but no POST requests, after an instance is killed",
	async () => {
		await using context = await severalThroughNginx();
		const { resort } = context;
		const { id } = await resort.register();
		const reads: number[] = [];
		const writes: number[] = [];
		let isOver = false;
		const reading = async () => {
			while (!isOver) reads.push((await resort.call("GET", `/api/agents/${id}/status`)).status);
		};
		const writing = async (who: number) => {
			for (let count = 0; !isOver; count++) {
				const body = { phase: "register", name: `Guest ${who}.${count}` };
				const written = await resort.call("POST", "/api/agents", { body });
				writes.push(written.status);
				if (written.status === 503) {
					expect(written.headers.has("retry-after")).toBe(true);
					expect(written.body).toHaveProperty("error");
				}
			}
		};
		const load = [reading(), reading(), writing(1), writing(2), writing(3)];
		const more = async (count: number) => {
			const from = writes.length;
			await until(() => writes.length >= from + count);
		};
		await more(30);
		await context.instances[1]?.stop("SIGKILL");
		await more(60);
		isOver = true;
		await Promise.all(load);
		expect(new Set(reads)).toEqual(new Set([200]));
		const failed = writes.filter((status) => status !== 201);
		expect(new Set(failed)).toBeOneOf([new Set(), new Set([503])]);
		// nginx has at most one open connection to the killed instance for each reader and writer. On each of
		// these connections, one POST may fail.
		expect(failed.length).toBeLessThanOrEqual(load.length);
		await using sql = new SQL(context.database, { max: 1 });
		const twice = await sql`select name from agents group by name having count(*) > 1`;
		expect([...twice]).toEqual([]);
	},
);

const CALLERS = 4;
const PAUSE_MS = 60;

/**
 * Sends requests through a proxy while the resort restarts. Expects that each response is a success, or a 503
 * with the same fields as a 503 of the resort.
 */
async function expectOnlyUnavailable(resort: RemoteResort, restart: () => Promise<void>): Promise<void> {
	const statuses = new Map<number, number>();
	let isOver = false;
	const callers = Array.from({ length: CALLERS }, async () => {
		while (!isOver) {
			const { status, headers, body } = await resort.call("GET", "/api/lobby");
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
			if (status !== 200) {
				expect(status).toBe(503);
				expect(headers.get("content-type")).toBe("application/json");
				expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
				expect(body).toHaveProperty("error");
			}
			await Bun.sleep(PAUSE_MS);
		}
	});
	await restart();
	const before = statuses.get(200) ?? 0;
	await until(() => (statuses.get(200) ?? 0) > before + CALLERS);
	isOver = true;
	await Promise.all(callers);
	expect(statuses.get(503)).toBeGreaterThan(0);
}

for (const [file, tools, start] of [
	["deploy/nginx.conf", nginxTools, throughNginx],
	["deploy/Caddyfile", ["caddy"], throughCaddy],
] as const) {
	testWith(tools, `${file} returns only 200, or 503 with Retry-After, during a restart`, async () => {
		let serving: Serving | undefined;
		let serveAgain = async () => {};
		await using proxied = await start(async ([port], cwd) => {
			const args = ["--ephemeral", `--port=${port}`, "--database=resort.sqlite"];
			serveAgain = async () => {
				serving = await serve(args, { cwd });
			};
			await serveAgain();
			return async () => serving?.stop();
		});
		await expectOnlyUnavailable(proxied.resort, async () => {
			await serving?.stop();
			await Bun.sleep(500);
			await serveAgain();
		});
	});
}

/**
 * The duration of the waiting calls: longer than the time after which a proxy might treat a waiting call as
 * failed.
 */
const WAIT_MS = 7_000;

/**
 * Makes three kinds of calls through a proxy at the same time: MCP calls that wait for an event, other calls
 * that wait or get no response (`attacks`), and ordinary calls. Expects that the ordinary calls succeed, and
 * that the MCP calls get their responses.
 */
async function expectUnharmed(resort: RemoteResort): Promise<void> {
	await using silent = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Promise(() => {}) });
	const guest = await resort.guest();
	const { key } = await resort.register();
	const args = { ids: guest.id, until: "available", wait: 30 };
	const params = { name: "agent_status", arguments: args };
	const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
	const headers = { accept: "application/json, text/event-stream" };
	const waits = [1, 2, 3].map(() => resort.call("POST", "/mcp", { key, headers, body }));
	const attacks: Promise<unknown>[] = [1, 2, 3].map(() =>
		resort.call("GET", `/api/agents/${guest.id}/status?until=available&%77ait=30`),
	);
	const ping = { url: silent.url.href, types: ["agent.available"] };
	attacks.push(resort.call("POST", "/api/webhooks", { key, body: ping }));
	const statuses = new Set<number>();
	const endMs = performance.now() + WAIT_MS;
	while (performance.now() < endMs) {
		attacks.push(callFoo(`${resort.url}/api/lobby`));
		for (const path of ["/api/lobby", "/api/health", "/llms.txt"]) {
			statuses.add((await resort.call("GET", path)).status);
		}
		await Bun.sleep(500);
	}
	expect([...statuses]).toEqual([200]);
	await resort.checkOut(guest);
	for (const { status, text } of await Promise.all(waits)) {
		expect(status).toBe(200);
		expect(text).toContain("available");
		expect(text).not.toContain('"error"');
	}
	// Stops the webhook's receiver, which never answers: the call that creates the webhook may still wait.
	await silent.stop(true);
	await Promise.all(attacks);
}

/** Sends a request with an unknown method, which `fetch` would replace by GET, and ignores the outcome. */
function callFoo(url: string): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const { request } = url.startsWith("https:") ? https : http;
	const sent = request(url, { method: "FOO", rejectUnauthorized: false }, (answer) => answer.resume());
	sent.on("error", () => {});
	sent.on("close", resolve);
	sent.end();
	return promise;
}

// These tests run concurrently, because they wait nearly all the time.
describe.concurrent("waiting and unanswered calls", () => {
	testWith(nginxTools, "do not affect other clients of deploy/nginx.conf", async () => {
		await using proxied = await throughNginx(behindProxy(FOR_WAITING), WITHOUT_LIMIT);
		await expectUnharmed(proxied.resort);
	});

	testWith(["caddy"], "do not affect other clients of deploy/Caddyfile", async () => {
		await using proxied = await throughCaddy(behindProxy(FOR_WAITING));
		await expectUnharmed(proxied.resort);
	});

	testSeveral("do not affect other clients of deploy/nginx.postgres.conf", async () => {
		await using context = await severalThroughNginx();
		await expectUnharmed(context.resort);
	});
});
