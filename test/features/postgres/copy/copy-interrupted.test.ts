import { expect } from "bun:test";
import { once } from "../../../../src/core/lib/once.ts";
import { start as startAt } from "../../../support/executable.ts";
import { useEmptied } from "../../../support/folder.ts";
import { until } from "../../../support/until.ts";
import { createDatabase } from "../support/databases.ts";
import { startProxy } from "../support/proxy.ts";
import { type Connection, connectTo, newDatabase, openDatabase, portOf } from "../support/shared.ts";
import { testOnPostgres as test } from "../support/test-on-postgres.ts";
import { CopyFolder } from "./copy-folder.ts";
import { fillFile } from "./filled.ts";
import { readDatabase, readFile, schemaOf } from "./read-all.ts";

/** The network delay in each direction. It makes a copy slow enough to be interrupted. */
const SLOW_MS = 50;

/** The key of an advisory lock for which a copy waits while it writes. */
const GATE = 42;

const folder = useEmptied(new CopyFolder());

const start = (...args: string[]) => startAt(args, { cwd: folder.path });

/** Returns the last statement of every other client of a database. */
async function asked({ query }: Connection): Promise<string[]> {
	const rows = await query(`select query from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`);
	return rows.map((row) => String(row.query));
}

const untilAsked = (onlooker: Connection, what: RegExp) =>
	until(async () => (await asked(onlooker)).some((one) => what.test(one)));

const untilAlone = (onlooker: Connection) => until(async () => (await asked(onlooker)).length === 0);

/** Prepares a source file, and a target database in which an insert into `sessions` waits for {@link GATE}. */
async function prepareGate() {
	await fillFile(folder.file());
	const onlooker = await openDatabase();
	await onlooker.query(`
		create function wait() returns trigger language plpgsql as
			$$ begin perform pg_advisory_xact_lock(${GATE}); return null; end $$;
		create trigger wait before insert on sessions execute function wait()`);
	await onlooker.query(`select pg_advisory_lock(${GATE})`);
	const open = () => onlooker.query(`select pg_advisory_unlock(${GATE})`);
	return { url: onlooker.url, onlooker, open };
}

/** The address of a database to which a file was copied. {@link prepareCopy} uses it as a template. */
const copied = once(async () => {
	await fillFile(folder.file());
	const url = await newDatabase();
	await folder.copyWell("resort.sqlite", url);
	return url;
});

/** Creates a database with the rows of {@link fillFile}. */
async function prepareCopy(): Promise<string> {
	const template = await copied();
	return createDatabase(template, { template });
}

/** Starts a copy to a file, and blocks all data from the source once the copy is reading. */
async function interruptReading() {
	await using opened = new AsyncDisposableStack();
	const url = await prepareCopy();
	const before = { names: folder.names(), rows: await readDatabase(url) };
	const onlooker = opened.use(connectTo(url));
	const proxy = opened.use(await startProxy(portOf(url)));
	proxy.delay(SLOW_MS);
	const copying = opened.use(start("copy", proxy.url(url), "back.sqlite"));
	await untilAsked(onlooker, READING);
	proxy.blackhole();
	const held = opened.move();
	return { url, before, onlooker, proxy, copying, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const WRITING = /^insert into "sessions"/;
const READING = /^select .* limit 1000$/;

const NOTHING = /^$/;
const STOPPED = /^resort: stopped: nothing was copied\n$/;
const LOST = /^resort: cannot copy [^\n]*: (Connection terminated|connection reset)[^\n]*\n$/;

const ending = (exitCode: number, told: RegExp) => ({
	exitCode,
	stdout: "",
	stderr: expect.stringMatching(told),
});

for (const [interruption, told] of [
	["SIGTERM", STOPPED],
	["the loss of the connection", LOST],
] as const) {
	test(`${interruption} during a copy to PostgreSQL leaves the target empty, and a second copy succeeds`, async () => {
		const { url, onlooker, open } = await prepareGate();
		await using _ = onlooker;
		await using proxy = await startProxy(portOf(url));
		const before = [await schemaOf(url), folder.files()];
		await using copying = start("copy", "resort.sqlite", proxy.url(url));
		await untilAsked(onlooker, WRITING);
		if (interruption === "the loss of the connection") proxy.cut();
		else copying.child.kill(interruption);
		expect(await copying.ended).toEqual(ending(1, told));
		await open();
		await untilAlone(onlooker);
		expect([await schemaOf(url), folder.files()]).toEqual(before);
		expect(Object.values(await readDatabase(url)).flat()).toEqual([]);
		await folder.copyWell("resort.sqlite", url);
		expect(await readDatabase(url)).toEqual(readFile(folder.file()));
	});
}

for (const [signal, code, told] of [
	["SIGKILL", 137, NOTHING],
	["SIGINT", 1, STOPPED],
] as const) {
	test(`${signal} during a copy to SQLite leaves no target file, and a second copy creates it`, async () => {
		await using reading = await interruptReading();
		const { url, onlooker, proxy, copying } = reading;
		const { names, rows } = reading.before;
		copying.child.kill(signal);
		expect(await copying.ended).toEqual(ending(code, told));
		proxy.cut();
		await untilAlone(onlooker);
		// A killed copy may leave a file with a temporary name.
		const rest = /^back\.sqlite\.[0-9a-f-]{36}\.tmp(-wal|-shm)?$/;
		const mayRemain = signal === "SIGKILL";
		expect(folder.names().filter((name) => !(mayRemain && rest.test(name)))).toEqual(names);
		expect(await readDatabase(url)).toEqual(rows);
		await folder.copyWell(url, "back.sqlite");
		expect(readFile(folder.file("back.sqlite"))).toEqual(rows);
	});
}

test("an instance that starts on the target of a copy waits until the copy ends, and then serves the database", async () => {
	const { url, onlooker, open } = await prepareGate();
	await using _ = onlooker;
	await using copying = start("copy", "resort.sqlite", url);
	await untilAsked(onlooker, WRITING);
	const starting = folder.serve(["--port", "0", "--database", url]);
	await untilAsked(onlooker, /select n from heads/);
	await folder.copyInVain("resort.sqlite", url, /resort.sqlite is in use/);
	await folder.copyInVain(url, "back.sqlite", /is used by an instance, or another copy, that is starting/);
	await open();
	expect((await copying.ended).exitCode).toBe(0);
	const resort = await starting;
	expect((await fetch(`${resort.url}/api/lobby`)).status).toBe(200);
	expect((await resort.stop()).exitCode).toBe(0);
	expect(await onlooker.query("select 1 from agents limit 21")).toHaveLength(21);
});

test("no other client can write to a PostgreSQL database while it is copied", async () => {
	await using reading = await interruptReading();
	const { onlooker, proxy, copying } = reading;
	await onlooker.query("set lock_timeout = 100");
	for (const table of ["nonces", "heads"]) {
		await expect(onlooker.query(`delete from ${table}`)).rejects.toMatchObject({ errno: "55P03" });
	}
	proxy.heal();
	expect((await copying.ended).exitCode).toBe(0);
});

test("`resort copy` refuses to copy a database while another program is changing a table", async () => {
	const url = await prepareCopy();
	await using onlooker = connectTo(url);
	await onlooker.query("begin");
	await onlooker.query("update agents set name = name");
	await folder.copyInVain(url, "back.sqlite", /another program is using the tables of the database/);
});
