import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync, statSync, symlinkSync } from "node:fs";
import { SQL } from "bun";
import { readAddress } from "../../src/store/postgres/address.ts";
import { PostgresStore } from "../../src/store/postgres/store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { fillFile, LAST_EVENT_ID, unpackFormer } from "../store/copy/filled.ts";
import { readDatabase, readFile, schemaOf } from "../store/copy/read-all.ts";
import { insertAgent } from "../store/rows.ts";
import { TemporaryFolder } from "../store/temporary-folder.ts";
import { run, serve } from "../support/executable.ts";
import { look } from "../support/guests.ts";
import { sharedClusters } from "../support/postgres/shared.ts";
import { testOnPostgres } from "../support/postgres/test-on-postgres.ts";
import { ask, visit } from "../support/visit.ts";

const newDatabase = sharedClusters();

let folder: TemporaryFolder;
beforeEach(() => {
	folder = new TemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

function copy(...args: string[]) {
	return run(["copy", ...args], { cwd: folder.path });
}

/** Copies, and requires that it tells so on one line and nothing else. */
async function copyWell(from: string, to: string) {
	const { exitCode, stdout, stderr } = await copy(from, to);
	expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
	expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
	return JSON.parse(stdout) as {
		copy: string;
		tables: Record<string, { rows: number; sha256: string }>;
	};
}

/** Copies, and requires that it is refused with one line. */
async function copyInVain(from: string, to: string, told: RegExp) {
	const { exitCode, stdout, stderr } = await copy(from, to);
	expect(stderr).toMatch(/^resort: [^\n]*\n$/);
	expect(stderr).toMatch(told);
	expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
}

/** What must stay as it is: the database files and all else in the folder, but for what readers of WAL leave behind. */
function files() {
	return Object.entries(folder.contents()).filter(
		([name]) => !/^resort\.sqlite-(wal|shm)$/.test(name),
	);
}

async function change(url: string, ...statements: string[]): Promise<void> {
	await using sql = new SQL(url, { max: 1 });
	for (const statement of statements) await sql.unsafe(statement);
}

/** A database that an instance has opened and closed. */
async function makeSchema(url: string): Promise<void> {
	const { store } = await PostgresStore.open(readAddress(url, {}), 4);
	await store.close();
}

/** A small database file of the present version. */
async function makeFile(name = "resort.sqlite"): Promise<void> {
	const store = openStore(folder.file(name));
	insertAgent(store, "a");
	await store.close();
}

/** All that a refused copy must leave as it was. */
async function stateOf(url: string) {
	await using sql = new SQL(url, { max: 1 });
	const sequences = await sql`
		select sequencename, last_value from pg_sequences where schemaname = 'public' order by 1`;
	return {
		schema: await schemaOf(url),
		contents: await readDatabase(url),
		sequences: [...sequences],
	};
}

describe("resort copy", () => {
	testOnPostgres(
		"takes a full resort there and back: every row of every table is the same",
		async (version) => {
			await fillFile(folder.file());
			const url = await newDatabase(version);
			const before = readFile(folder.file());
			const bytes = files();
			const there = await copyWell("resort.sqlite", url);
			expect(files()).toEqual(bytes);
			expect(await readDatabase(url)).toEqual(before);
			const counts = Object.entries(before).map(([name, rows]) => {
				expect(rows.length, name).toBeGreaterThan(0);
				return [name, rows.length];
			});
			const told = Object.entries(there.tables);
			expect(told.map(([name, { rows }]) => [name, rows]).toSorted()).toEqual(
				counts.toSorted(),
			);

			const state = await stateOf(url);
			const back = await copyWell(url, "back.sqlite");
			expect(await stateOf(url)).toEqual(state);
			expect(readFile(folder.file("back.sqlite"))).toEqual(before);
			expect(back.tables).toEqual(there.tables);
			expect(back.copy).toBe(folder.file("back.sqlite"));
			expect(statSync(folder.file("back.sqlite")).mode & 0o777).toBe(0o600);
			expect(look(folder.file("back.sqlite")).integrity).toEqual([["ok"]]);
			expect(pragmas("back.sqlite")).toEqual(pragmas("resort.sqlite"));
			expect(journalMode("back.sqlite")).toBe("wal");
			expect(Object.keys(folder.contents()).join()).not.toContain(".tmp");
		},
	);

	testOnPostgres(
		"makes the schema that an instance makes, with all indexes, references and sequences",
		async (version) => {
			await makeFile();
			const made = await newDatabase(version);
			await copyWell("resort.sqlite", made);
			const migrated = await newDatabase(version);
			await makeSchema(migrated);
			const schema = await schemaOf(migrated);
			expect(schema.length).toBeGreaterThan(150);
			expect(await schemaOf(made)).toEqual(schema);
			await copyWell("resort.sqlite", migrated);
			expect(await schemaOf(migrated)).toEqual(schema);
			expect(await readDatabase(migrated)).toEqual(await readDatabase(made));
		},
	);

	testOnPostgres(
		"takes a resort that works on: keys, sessions, open stays, ids of events",
		async (version) => {
			const url = await newDatabase(version);
			let at = await serve(["--port", "0"], { cwd: folder.path });
			const guest = await visit(at.url);
			await at.stop();
			forgetEvents(folder.file());
			// An instance has served the empty database before.
			at = await serve(["--port", "0", "--database", url], {
				cwd: folder.path,
			});
			await at.stop();
			await copyWell("resort.sqlite", url);

			at = await serve(["--port", "0", "--database", url], {
				cwd: folder.path,
			});
			await leaveAndComeBack(at.url, guest);
			const second = await visit(at.url);
			await at.stop();
			const ids = (await readDatabase(url)).events?.map(idOf) ?? [];
			expect(Math.min(...ids)).toBe(LAST_EVENT_ID + 1);

			await change(url, "delete from events");
			await copyWell(url, "back.sqlite");
			at = await serve(["--port", "0", "--database", "back.sqlite"], {
				cwd: folder.path,
			});
			await leaveAndComeBack(at.url, guest);
			await leaveAndComeBack(at.url, second);
			await visit(at.url);
			await at.stop();
			const later = readFile(folder.file("back.sqlite")).events?.map(idOf);
			expect(Math.min(...(later ?? []))).toBe(Math.max(...ids) + 1);
		},
	);

	testOnPostgres(
		"tells a copy that differs, and keeps none",
		async (version) => {
			await fillFile(folder.file());
			const url = await newDatabase(version);
			await makeSchema(url);
			await change(
				url,
				"create function spoil() returns trigger language plpgsql as $$ begin new.message := new.message || ' '; return new; end $$",
				"create trigger spoil before insert on postcards for each row execute function spoil()",
			);
			const before = await stateOf(url);
			await copyInVain(
				"resort.sqlite",
				url,
				/table postcards differs: \d+ rows/,
			);
			expect(await stateOf(url)).toEqual(before);
		},
	);
});

describe("resort copy refuses TO that is PostgreSQL and", () => {
	const refusals: [
		what: string,
		make: (url: string) => Promise<void>,
		told: RegExp,
	][] = [
		[
			"has an agent",
			async (url) => {
				await makeSchema(url);
				await change(
					url,
					"insert into agents (id, name, relaxation_style, comfort_objects, interests, created_at) values ('b', '', '', '', '', 1)",
				);
			},
			/is not empty: table agents has rows; give an empty one/,
		],
		[
			"has a nonce alone",
			async (url) => {
				await makeSchema(url);
				await change(url, "insert into nonces values ('n', 1)");
			},
			/is not empty: table nonces has rows/,
		],
		[
			"has tables, but none of a resort",
			(url) => change(url, "create table diary (entry text)"),
			/it is not empty and not a resort.s/,
		],
		[
			"has a table that is not a resort's",
			async (url) => {
				await makeSchema(url);
				await change(url, "create table diary (entry text)");
			},
			/is not as resort makes it: column diary\.entry is foreign/,
		],
		[
			"lacks a column",
			async (url) => {
				await makeSchema(url);
				await change(url, "alter table agents drop column bio");
			},
			/is not as resort makes it: column agents\.bio is missing/,
		],
		[
			"is of a newer version",
			async (url) => {
				await makeSchema(url);
				await change(url, "update heads set n = n + 1 where slot = 0");
			},
			/is of a newer version of resort \(its schema is \d+, this program knows \d+\)/,
		],
	];
	for (const [what, make, told] of refusals) {
		testOnPostgres(what, async (version) => {
			await makeFile();
			const url = await newDatabase(version);
			await make(url);
			const before = { database: await stateOf(url), files: files() };
			await copyInVain("resort.sqlite", url, told);
			expect({ database: await stateOf(url), files: files() }).toEqual(before);
		});
	}

	testOnPostgres("is served", async (version) => {
		await makeFile();
		const url = await newDatabase(version);
		const resort = await serve(["--port", "0", "--database", url], {
			cwd: folder.path,
		});
		const served =
			/is served: connections of instances that write to it: \d+; stop all instances/;
		await copyInVain("resort.sqlite", url, served);
		await copyInVain(url, "back.sqlite", served);
		const guest = await visit(resort.url);
		await resort.stop();
		await copyInVain("resort.sqlite", url, /is not empty: table agents/);
		await copyWell(url, "back.sqlite");
		expect([...look(folder.file("back.sqlite")).ids]).toEqual([guest.agent]);
	});

	test("cannot be reached", async () => {
		await makeFile();
		const url = "postgres://ada:hunter2@127.0.0.1:1/resort";
		const before = files();
		await copyInVain(
			"resort.sqlite",
			url,
			/cannot use the database postgres:\/\/ada@127\.0\.0\.1:1\/resort/,
		);
		await copyInVain(url, "back.sqlite", /^(?!.*hunter2)/);
		expect(files()).toEqual(before);
	});
});

describe("resort copy refuses FROM that", () => {
	testOnPostgres("is an empty PostgreSQL database", async (version) => {
		const url = await newDatabase(version);
		await copyInVain(url, "back.sqlite", /is empty/);
		expect(files()).toEqual([]);
	});

	const faults: [what: string, statements: string[], told: RegExp][] = [
		[
			"holds NUL in a text",
			["INSERT INTO nonces VALUES ('hunter2' || char(0), 1)"],
			/table nonces cannot be copied: column nonce has a value that is no text without NUL/,
		],
		[
			"holds a text in place of a number",
			["INSERT INTO nonces VALUES ('n', 'hunter2')"],
			/table nonces cannot be copied: column expires_at has a value that is no whole number/,
		],
		[
			"holds a number that PostgreSQL has no room for",
			["UPDATE stays SET relaxation_points = 1 << 40 WHERE seq = 1"],
			/cannot copy .*: the database reports a failure \(22003\)/,
		],
		[
			"holds rows without their parents",
			[
				"PRAGMA foreign_keys = OFF",
				"UPDATE stays SET agent_id = 'nobody' WHERE seq = 1",
			],
			/references that lead nowhere: 1/,
		],
		[
			"has a table that is not a resort's",
			["CREATE TABLE diary (entry TEXT)"],
			/is not as resort makes it: table "diary" is foreign/,
		],
		[
			"is of a newer version",
			["PRAGMA user_version = 99"],
			/newer version of resort \(its schema is 99, this program knows \d+\)/,
		],
	];
	for (const [what, statements, told] of faults) {
		testOnPostgres(what, async (version) => {
			await fillFile(folder.file(), statements);
			const url = await newDatabase(version);
			const before = { database: await stateOf(url), files: files() };
			await copyInVain("resort.sqlite", url, told);
			expect({ database: await stateOf(url), files: files() }).toEqual(before);
			expect(before.database.schema).toEqual([]);
		});
	}

	testOnPostgres("is of an older version", async (version) => {
		await unpackFormer(folder.file());
		const url = await newDatabase(version);
		const before = files();
		await copyInVain(
			"resort.sqlite",
			url,
			/is of an older version of resort \(its schema is 4, this program knows \d+\); start resort serve with it once/,
		);
		expect(files()).toEqual(before);
		expect(await schemaOf(url)).toEqual([]);
	});

	testOnPostgres("is a file that is served", async (version) => {
		await makeFile();
		const url = await newDatabase(version);
		const resort = await serve(["--port", "0"], { cwd: folder.path });
		await copyInVain("resort.sqlite", url, /resort\.sqlite is in use/);
		await resort.stop();
		expect(await schemaOf(url)).toEqual([]);
		await copyWell("resort.sqlite", url);
	});

	testOnPostgres("is missing, empty or a letter", async (version) => {
		const url = await newDatabase(version);
		await Bun.write(folder.file("empty"), "");
		await Bun.write(folder.file("letter"), "dear diary ".repeat(100));
		const before = files();
		await copyInVain("none", url, /none does not exist/);
		await copyInVain("empty", url, /empty is empty/);
		await copyInVain("letter", url, /is not a SQLite database/);
		expect(files()).toEqual(before);
		expect(await schemaOf(url)).toEqual([]);
	});
});

describe("resort copy refuses TO that is a file and", () => {
	const places: [what: string, make: () => unknown, told: RegExp][] = [
		[
			"is there",
			() => Bun.write(folder.file("to"), ""),
			/to exists already and is not overwritten/,
		],
		[
			"is a link to nothing",
			() => symlinkSync("nowhere", folder.file("to")),
			/to exists already/,
		],
		[
			"has left its log behind",
			() => Bun.write(folder.file("to-wal"), "frames"),
			/to is not there, but .*to-wal is/,
		],
		[
			"has left its journal behind",
			() => Bun.write(folder.file("to-journal"), "pages"),
			/to is not there, but .*to-journal is/,
		],
	];
	for (const [what, make, told] of places) {
		testOnPostgres(what, async (version) => {
			await makeFile();
			const url = await newDatabase(version);
			await copyWell("resort.sqlite", url);
			await make();
			const before = namesIn();
			const state = await stateOf(url);
			await copyInVain(url, "to", told);
			expect(namesIn()).toEqual(before);
			expect(await stateOf(url)).toEqual(state);
		});
	}
});

describe("resort copy", () => {
	const PG = "postgres://ada:hunter2@db.test/resort";
	const wrong: [args: string[], told: string][] = [
		[[], "copy takes FROM and TO; see resort copy --help"],
		[["a"], "copy takes FROM and TO"],
		[["a", ""], "copy takes FROM and TO"],
		[["a", PG, "c"], "copy takes FROM and TO"],
		[["a", PG, "--force"], "unknown flag --force; see resort copy --help"],
		[["a", "b"], "for a copy of a database file use resort backup"],
		[[PG, PG], "between two PostgreSQL databases use pg_dump and pg_restore"],
		[[":memory:", PG], "FROM :memory: is no file"],
		[[PG, ":memory:"], "TO :memory: is no file"],
		[[PG, "-"], "TO - is no file"],
		[[PG, "no/such/folder"], 'TO "no/such/folder": must be a file in a folder'],
		[["a", `${PG}?sslmode=on`], 'TO "(hidden)": unknown sslmode "on"'],
		[[`${PG}?a=b`, "a"], 'FROM "(hidden)": unknown parameter'],
	];
	test.each(wrong)("%p is refused with exit 2", async (args, told) => {
		const { exitCode, stdout, stderr } = await copy(...args);
		expect(stderr).toContain(told);
		expect(stderr).toMatch(/^resort: [^\n]*\n$/);
		expect(stderr).not.toContain("hunter2");
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
		expect(files()).toEqual([]);
	});
});

/** The names in the folder, links to nothing too. */
function namesIn(): string[] {
	return readdirSync(folder.path).filter(
		(name) => !/^resort\.sqlite-(wal|shm)$/.test(name),
	);
}

/** What a file is, beside its rows. */
function pragmas(name: string): unknown {
	const sqlite = new Database(folder.file(name), { readonly: true });
	const names =
		"application_id user_version auto_vacuum encoding page_size foreign_key_check";
	const found = names
		.split(" ")
		.map((one) => sqlite.query(`PRAGMA ${one}`).values());
	const schema = sqlite
		.query("SELECT sql FROM sqlite_schema ORDER BY sql")
		.values();
	const sequence = sqlite.query("SELECT * FROM sqlite_sequence").values();
	sqlite.close();
	return [...found, schema, sequence];
}

function journalMode(name: string): unknown {
	const sqlite = new Database(folder.file(name), { readonly: true });
	const [mode] = sqlite.query("PRAGMA journal_mode").values().flat();
	sqlite.close();
	return mode;
}

/** Deletes all events, after one with a great id. */
function forgetEvents(file: string): void {
	const sqlite = new Database(file);
	sqlite.run(
		"INSERT INTO events (id, type, at, agent_id) VALUES (?, '', 1, '')",
		[LAST_EVENT_ID],
	);
	sqlite.run("DELETE FROM events");
	sqlite.close();
}

function idOf(event: string): number {
	return Number(/\bid=(\d+)/.exec(event)?.[1]);
}

/** What an agent does that was checked in at a resort before it was copied. */
async function leaveAndComeBack(
	url: string,
	{ agent, apiKey, stay, cookie = "" }: Awaited<ReturnType<typeof visit>>,
): Promise<void> {
	const bySession = await fetch(`${url}/api/me`, { headers: { cookie } });
	expect(bySession.status).toBe(200);
	const me = await ask(url, "GET", "/api/me", apiKey);
	expect(me.agent.id).toBe(agent);
	const status = await ask(url, "GET", `/api/agents/${agent}/status`);
	expect(status.status).toBe("relaxing");
	await ask(url, "POST", "/api/checkout", apiKey);
	const again = await ask(url, "POST", "/api/checkin", apiKey);
	expect(again.stay.id).not.toBe(stay);
}
