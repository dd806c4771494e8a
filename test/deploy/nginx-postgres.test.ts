import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startCluster } from "../features/postgres/support/cluster.ts";
import { installations } from "../features/postgres/support/installations.ts";
import { testOnPostgres } from "../features/postgres/support/test-on-postgres.ts";
import { type Serving, serve } from "../support/executable.ts";
import { testWith } from "../support/tools.ts";
import { nginxTools } from "./nginx.ts";
import { throughSite } from "./proxied.ts";
import { expectUnharmed } from "./waiting.ts";

const folder = join(import.meta.dir, "../../deploy");

/** Three instances on one database, behind nginx. */
async function open() {
	await using opened = new AsyncDisposableStack();
	const cluster = opened.use(await startCluster());
	const instances: Serving[] = [];
	const start = async (ports: readonly number[], cwd: string) => {
		for (const port of ports) {
			instances.push(
				await serve(
					[
						`--database=${cluster.url}`,
						"--database-connections=4",
						`--port=${port}`,
						"--rate-limits=off",
						"--trusted-proxies=127.0.0.1,::1",
						"--base-url=https://resort.example.com",
						"--webhooks=on",
						"--webhooks-allow=127.0.0.1",
					],
					{ cwd },
				),
			);
		}
		return () => Promise.all(instances.map((one) => one.stop("SIGKILL")));
	};
	const proxied = opened.use(
		await throughSite("nginx.postgres.conf", start, [
			// All calls of a test come from one address.
			["rate=50r/s", "rate=5000r/s"],
		]),
	);
	const held = opened.move();
	const call = (method: string, path: string, key = "", body?: object) =>
		proxied.call(method, path, {
			...(key && { headers: { authorization: `Bearer ${key}` } }),
			...(body && { body: JSON.stringify(body) }),
		});
	return {
		cluster,
		instances,
		call,
		through: proxied.call,
		/** Registers an agent, and returns its id and its key. */
		async register() {
			const { body } = await call("POST", "/api/agents", "", { name: "Ada" });
			const { agent, apiKey } = JSON.parse(body);
			return { id: String(agent.id), apiKey: String(apiKey) };
		},
		[Symbol.asyncDispose]: () => held.disposeAsync(),
	};
}

test("deploy/nginx.postgres.conf contains all lines of deploy/nginx.conf except the server", () => {
	const linesOf = (name: string) => readFileSync(join(folder, name), "utf8").split("\n");
	const several = linesOf("nginx.postgres.conf");
	const lacking = linesOf("nginx.conf").filter((line) => !several.includes(line) && !/^\s*#/.test(line));
	expect(lacking).toEqual(["\tserver 127.0.0.1:3000;"]);
});

function testHere(name: string, body: () => Promise<void>): void {
	if (installations.length === 0) testOnPostgres(name, body);
	else testWith(nginxTools, name, body);
}

testHere("deploy/nginx.postgres.conf uses all instances, which see each other's writes", async () => {
	await using context = await open();
	const { id, apiKey } = await context.register();
	const statusOf = async () => {
		const { status, body } = await context.call("GET", `/api/agents/${id}/status`);
		expect(status).toBe(200);
		return JSON.parse(body).status;
	};
	for (let round = 0; round < 6; round++) {
		const moves = ["checkin", "activities/tidepool-float/do"];
		for (const move of moves) {
			const path = `/api/${move}`;
			expect((await context.call("POST", path, apiKey)).status).toBe(201);
			expect(await statusOf()).toBe("relaxing");
		}
		const left = await context.call("POST", "/api/checkout", apiKey);
		expect(left.status).toBe(200);
		expect(await statusOf()).toBe("available");
	}
	const waiting = await context.call("POST", "/api/checkin?_wait=1", apiKey);
	expect(waiting.status).toBe(201);
	for (const instance of context.instances) {
		const { stderr } = await instance.stop();
		expect(stderr).toContain('"message":"request"');
	}
	const { status, headers, body } = await context.call("GET", "/api/lobby");
	expect(status).toBe(503);
	expect(headers["retry-after"]).toBe("2");
	expect(JSON.parse(body)).toEqual({ error: "Resort unavailable" });
});

testHere("after an instance was killed, GET requests succeed and no POST request is sent twice", async () => {
	await using context = await open();
	const { id } = await context.register();
	const reads: (number | undefined)[] = [];
	const writes: (number | undefined)[] = [];
	let isOver = false;
	const reading = async () => {
		while (!isOver) {
			const path = `/api/agents/${id}/status`;
			reads.push((await context.call("GET", path)).status);
		}
	};
	const writing = async (who: number) => {
		for (let count = 0; !isOver; count++) {
			const body = { phase: "register", name: `Guest ${who}.${count}` };
			const written = await context.call("POST", "/api/agents", "", body);
			writes.push(written.status);
			if (written.status === 503) {
				expect(written.headers).toHaveProperty("retry-after");
				expect(JSON.parse(written.body)).toHaveProperty("error");
			}
		}
	};
	const load = [reading(), reading(), writing(1), writing(2), writing(3)];
	const more = async (count: number) => {
		const from = writes.length;
		while (writes.length < from + count) await Bun.sleep(5);
	};
	await more(30);
	await context.instances[1]?.stop("SIGKILL");
	await more(60);
	isOver = true;
	await Promise.all(load);
	expect(new Set(reads)).toEqual(new Set([200]));
	const failed = writes.filter((status) => status !== 201);
	expect(new Set(failed)).toBeOneOf([new Set(), new Set([503])]);
	// nginx may still send a request over each connection that a reader or a writer used at the killed instance.
	expect(failed.length).toBeLessThanOrEqual(load.length);
	await using sql = new SQL(context.cluster.url, { max: 1 });
	const twice = await sql`select name from agents group by name having count(*) > 1`;
	expect([...twice]).toEqual([]);
});

testHere("waiting and unanswered calls do not affect other clients", async () => {
	await using context = await open();
	await expectUnharmed(context.through);
});
