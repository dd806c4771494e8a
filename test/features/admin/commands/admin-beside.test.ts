/** Tests of `resort admin` while an instance serves the database. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Registered } from "../../../support/calls.ts";
import { EventReader } from "../../../support/event-reader.ts";
import { executable, type Serving } from "../../../support/executable.ts";
import { useFreshFolder } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { prepareMetrics } from "../../metrics/exposition.ts";
import { filesWith, MARK, marked } from "../traces.ts";

const READ_ALL = "SELECT sum(length(message)) FROM postcards";

const NOTICED_MS = 200;

/** The additional time that a busy machine may need. */
const SLACK_MS = 150;

const folder = useFreshFolder();
const metrics = await prepareMetrics();
let instance: Serving;

beforeEach(async () => {
	instance = await folder.serve(["--port", "0", "--rate-limits", "off", ...metrics.flags]);
});
afterEach(() => instance.stop());

const admin = (args: readonly string[], stdin = "") => folder.run(["admin", ...args], { stdin });

const call = (method: string, path: string, key?: string, body?: object) =>
	instance.call(method, path, { key, body });

const guest = (name: string) => instance.guest({ name });

test("a change by `resort admin` reaches waiting calls and event streams within 200 ms", async () => {
	const { id } = await guest("Ada");
	const { body } = await call("GET", "/api/events");
	const path = `/api/events?since=${body.cursor}`;
	const waiting = call("GET", `${path}&wait=20`).then(() => performance.now());
	const stream = await EventReader.open(instance.url + path);
	const streamed = stream.have(1).then(() => performance.now());
	await metrics.untilReaders("1,1");
	const { exitCode } = await admin(["check-out", id]);
	const ended = performance.now();
	expect(exitCode).toBe(0);
	for (const noticed of await Promise.all([waiting, streamed])) {
		expect(noticed - ended).toBeLessThan(NOTICED_MS + SLACK_MS);
	}
	expect(stream.events).toMatchObject([{ event: "agent.available" }]);
	stream.leave();
});

test("while `resort admin` has a database open, no second instance can serve it, and `resort restore` cannot replace it", async () => {
	const { id } = await guest("Ada");
	const erasing = Bun.spawn([executable, "admin", "erase", id], {
		cwd: folder.path,
		env: {},
		stdin: "pipe",
		stdout: "pipe",
		stderr: "pipe",
	});
	const reader = erasing.stderr.getReader();
	await reader.read();
	const second = await folder.run(["--port", "0"]);
	expect(second.exitCode).toBe(1);
	expect(second.stderr).toContain("is in use by another resort process");
	await instance.stop();
	// Only `resort admin` has the database open now: `resort restore` is still refused, but a start is not.
	await folder.run(["backup", "copy.sqlite"]);
	const restored = await folder.run(["restore", "copy.sqlite"]);
	expect(restored.stderr).toContain("is in use by another resort process");
	instance = await folder.serve(["--port", "0"]);
	erasing.stdin.write(`${id}\n`);
	erasing.stdin.end();
	expect(await erasing.exited).toBe(0);
	expect((await call("GET", `/api/agents/${id}`)).status).toBe(404);
}, 60_000);

describe("`resort admin erase`", () => {
	/** Creates an agent whose texts have left copies in many freed pages of the file. */
	async function leaveTexts() {
		const agent = await guest(marked("name"));
		const other = await guest("Other");
		for (let at = 0; at < 60; at++) {
			const message = marked(`postcard ${at}`, 500);
			await call("POST", "/api/postcards", agent.key, { message });
			await call("PATCH", "/api/me", agent.key, { bio: marked("", 400) });
			const length = 100 + ((at * 97) % 390);
			await call("POST", "/api/postcards", other.key, { message: "x".repeat(length) });
		}
		return { agent, other };
	}

	/**
	 * Erases an agent while a read transaction is open. The older snapshot of this transaction keeps SQLite
	 * from emptying the write-ahead log.
	 */
	async function eraseBesideReader({ id }: Registered) {
		const reader = new Database(folder.file(), { readonly: true });
		reader.run("BEGIN");
		reader.query(READ_ALL).get();
		const erasing = admin(["erase", id], id);
		await until(async () => (await call("GET", `/api/agents/${id}`)).status === 404);
		return { reader, erasing };
	}

	test("leaves no byte of the texts in the database files, even after a write by a connection with old pages in its cache", async () => {
		const { agent } = await leaveTexts();
		const file = folder.file();
		using idle = new Database(file);
		idle.query(READ_ALL).get();
		const { reader, erasing } = await eraseBesideReader(agent);
		reader.close();
		expect((await erasing).exitCode).toBe(0);
		expect(filesWith(file, MARK)).toEqual([]);
		// This connection has cached pages from before the erasure. Its write must not restore the texts.
		idle.run("UPDATE postcards SET mood = 'calm' WHERE seq % 3 = 0");
		idle.run("PRAGMA wal_checkpoint(TRUNCATE)");
		expect(filesWith(file, MARK)).toEqual([]);
	}, 120_000);

	test("exits with 1 if a read transaction does not end, but lets other agents write while it waits", async () => {
		const { agent, other } = await leaveTexts();
		const { reader, erasing } = await eraseBesideReader(agent);
		const begun = performance.now();
		const { status } = await call("POST", "/api/postcards", other.key, { message: "Hello" });
		expect(status).toBe(201);
		expect(performance.now() - begun).toBeLessThan(1_000);
		const { exitCode, stderr } = await erasing;
		expect(exitCode).toBe(1);
		expect(stderr).toContain("Run the command again");
		// The log says that the agent was erased, although the reader can still read its texts.
		expect(stderr).toMatch(/by.*admin.*what.*erase/);
		reader.close();
		expect((await admin(["erase", agent.id], agent.id)).exitCode).toBe(0);
		expect(filesWith(folder.file(), MARK)).toEqual([]);
	}, 120_000);
});
