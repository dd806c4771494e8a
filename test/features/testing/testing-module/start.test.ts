import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { startResort } from "../../../../src/features/testing/testing-module/start-resort.ts";
import type {
	RunningResort,
	StartOptions,
} from "../../../../src/features/testing/testing-module/testing-types.ts";
import { resortAt } from "../../../support/calls.ts";
import { executable } from "../../../support/executable.ts";
import { useFreshFolder } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { house, ids, keyOf } from "../fixtures.ts";
import { answers } from "./project.ts";

const NOW = "2026-03-10T12:00:00.000Z";
const NO_DATE = new Date(Number.NaN);

const folder = useFreshFolder();

const started: RunningResort[] = [];
afterEach(async () => {
	for (const resort of started.splice(0)) await resort.stop();
});

async function start(options: StartOptions = {}): Promise<RunningResort> {
	const resort = await startResort({ executable, ...options });
	started.push(resort);
	return resort;
}

function writeProgram(script: string, name = "program"): string {
	const path = folder.write(`#!/bin/sh\n${script}\n`, name);
	chmodSync(path, 0o700);
	return path;
}

describe("startResort", () => {
	test("starts a resort with the given `fixtures`, `now`, `frozen` and `maxStay`", async () => {
		const path = folder.write(JSON.stringify(house()), "house.json");
		for (const options of [
			{ fixtures: house(), now: NOW },
			{ fixtures: path, now: new Date(NOW) },
		]) {
			const resort = await start({ ...options, frozen: true, maxStay: 0.5 });
			expect(Object.keys(resort.keys)).toEqual([ids.ada, ids.bob]);
			expect(resort.keys[ids.ada]).toBe(keyOf("a"));
			const me = await resortAt(resort.url).me({ key: resort.keys[ids.bob] });
			expect(me.body.agent.id).toBe(ids.bob);
			expect(await resort.state()).toMatchObject({ now: NOW, frozen: true, guests: 1 });
			await resort.advance(1_801);
			expect(await resort.state()).toMatchObject({ guests: 0 });
		}
	});

	test("ignores white space around the value of RESORT_EXECUTABLE", async () => {
		const { RESORT_EXECUTABLE } = process.env;
		process.env.RESORT_EXECUTABLE = ` ${executable}\n`;
		try {
			const resort = await startResort();
			await resort.stop();
		} finally {
			if (RESORT_EXECUTABLE === undefined) delete process.env.RESORT_EXECUTABLE;
			else process.env.RESORT_EXECUTABLE = RESORT_EXECUTABLE;
		}
	});

	test("with `webhooks`, allows webhooks to this machine; with `seed`, retries them without jitter", async () => {
		let isUp = true;
		const received: string[] = [];
		const take = async (request: Request) => {
			received.push(((await request.json()) as { type: string }).type);
			return new Response(null, { status: isUp ? 204 : 503 });
		};
		using receiver = Bun.serve({ port: 0, fetch: take });
		const { url, advance } = await start({ webhooks: true, frozen: true, now: NOW, seed: 1 });
		const resort = resortAt(url);
		const ada = await resort.register();
		const { key } = ada;
		const body = { url: `http://127.0.0.1:${receiver.port}/` };
		const { webhook } = await resort.send("POST", "/api/webhooks", { key, body });
		isUp = false;
		await resort.checkIn(ada);
		const path = `/api/webhooks/${webhook.id}/deliveries`;
		const deliveries = async () => (await resort.send("GET", path, { key })).deliveries;
		await until(async () => (await deliveries()).length === 1);
		expect(await deliveries()).toMatchObject([{ attempt: 1, status: 503, next: "2026-03-10T12:00:05.000Z" }]);
		isUp = true;
		await advance(5);
		await until(() => received.length === 3);
		expect(received).toEqual(["webhook.ping", "agent.relaxing", "agent.relaxing"]);
	});

	test("returns a resort whose logs() contains a line for a call", async () => {
		const resort = await start();
		const headers = { "x-request-id": "mine" };
		await fetch(`${resort.url}/api/lobby`, { headers });
		const mine = () => resort.logs().filter(({ requestId }) => requestId === "mine");
		await until(() => mine().length > 0);
		expect(mine()).toMatchObject([{ level: "INFO", message: "request", route: "/api/lobby", status: 200 }]);
	});

	test("returns a resort whose logs() contains at most the last 10,000 lines", async () => {
		const lines = `seq 10001 | sed 's/.*/{"n":&}/' >&2`;
		const ready = `echo '{"url":"http://127.0.0.1:1"}'`;
		const own = writeProgram(`${ready}; ${lines}; cat`);
		const { logs } = await start({ executable: own });
		await until(() => logs().at(-1)?.n === 10_001);
		expect([logs().length, logs()[0]?.n]).toEqual([10_000, 2]);
	});

	test("with `rateLimits`, starts a resort that refuses the 11th sign-in with 429", async () => {
		const { url } = await start({ rateLimits: true });
		const signIn = () => resortAt(url).call("POST", "/api/session", { body: { apiKey: keyOf("a") } });
		for (let at = 0; at < 10; at++) expect((await signIn()).status).toBe(401);
		expect((await signIn()).status).toBe(429);
	});
});

describe("startResort rejects", () => {
	test.each<[what: string, options: object, told: RegExp]>([
		["a negative seed", { seed: -1 }, /resort ended \(2\): resort: --seed "-1": must be/],
		["an invalid agent in fixtures", { fixtures: { agents: [{ name: "A" }] } }, /agents\[0\]/],
		["a fixtures file that does not exist", { fixtures: "/nowhere/house.json" }, /\/nowhere\/house\.json/],
		["the number 5 as `now`", { now: 5 }, /--now "5": must be a UTC time/],
		["a text as `frozen`", { frozen: "yes" }, /--frozen "yes": must be on or off/],
		["an unknown option", { maxstay: 1 }, /unknown option maxstay: .*maxStay/],
		["an Invalid Date as `now`", { now: NO_DATE }, /--now "Invalid Date": must be a UTC time/],
		[
			"fixtures with an Invalid Date",
			{ fixtures: { agents: [{ createdAt: NO_DATE }] } },
			/createdAt is an Invalid Date/,
		],
		[
			"fixtures with NaN",
			{ fixtures: { stays: [{ roomNumber: Number.NaN }] } },
			/roomNumber must be a number/,
		],
	])("if given %s", async (_, options, told) => {
		await expect(startResort({ executable, ...options })).rejects.toThrow(told);
	});

	test.each([
		["fixtures that are not JSON", { fixtures: { agents: [1n] } }],
		["an invalid path of the executable", { fixtures: {}, executable: "a\0b" }],
	])("if given %s, and leaves no temporary file", async (_, options) => {
		const { TMPDIR } = process.env;
		process.env.TMPDIR = folder.path;
		await expect(startResort(options as object)).rejects.toThrow();
		if (TMPDIR === undefined) delete process.env.TMPDIR;
		else process.env.TMPDIR = TMPDIR;
		expect(readdirSync(folder.path)).toEqual([]);
	});

	test.each([[null], [[]], ["x.json"]])("if given %j in place of options", async (given) => {
		await expect(startResort(given as object)).rejects.toThrow("options must be an object");
	});

	test("if the executable does not exist or is not a resort", async () => {
		const put = "put resort on the PATH, or set executable or RESORT_EXECUTABLE";
		for (const [program, told] of [
			["/nowhere/resort", `cannot start "/nowhere/resort" (ENOENT): ${put}`],
			["/bin/echo", '"/bin/echo" is not the resort executable: it printed "serve'],
			[writeProgram("echo null", "null"), 'is not the resort executable: it printed "null"'],
			[writeProgram(`echo ${"x".repeat(101)}`, "long"), `it printed "${"x".repeat(100)}"`],
		] as const) {
			await expect(startResort({ executable: program })).rejects.toThrow(told);
		}
	});

	test("with the last errors of the log if the executable ends before it is ready", async () => {
		const error = '{"level":"ERROR"}';
		const told = `${"0".repeat(5_000)}\n${error}`;
		const own = writeProgram(`echo '${told}' >&2; echo '{"level":"INFO"}' >&2; exit 1`);
		// The last 4,096 characters of the errors are kept, including the final line break, which is not shown.
		const shown = told.slice(-4_095);
		await expect(startResort({ executable: own })).rejects.toThrow(new Error(`resort ended (1): ${shown}`));
	});
});

test("`await using` stops a resort, and stop() does so within 2 seconds", async () => {
	let url = "";
	{
		await using used = await startResort({ executable });
		url = used.url;
		expect(await answers(url)).toBe(true);
	}
	expect(await answers(url)).toBe(false);
	const resort = await startResort({ executable });
	expect(await answers(resort.url)).toBe(true);
	const startedAt = performance.now();
	await Promise.all([resort.stop(), resort.stop()]);
	expect(performance.now() - startedAt).toBeLessThan(2_000);
	expect(await answers(resort.url)).toBe(false);
	await resort.stop();
});

test("a method rejects with the reason if the resort has ended or was stopped", async () => {
	const pid = folder.file("pid");
	const own = writeProgram(`echo $$ >${pid}\nexec ${executable} "$@"`);
	for (const [signal, how] of [
		["SIGKILL", "SIGKILL"],
		["SIGTERM", "0"],
	] as const) {
		const resort = await startResort({ executable: own });
		process.kill(Number(readFileSync(pid, "utf8")), signal);
		await until(async () => !(await answers(resort.url)));
		await expect(resort.state()).rejects.toThrow(`resort ended (${how})`);
		await resort.stop();
		await expect(resort.reset()).rejects.toThrow("resort was stopped");
	}
});
