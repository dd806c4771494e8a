import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { once } from "../../../../src/core/lib/once.ts";
import { copyDatabase } from "../../../../src/features/postgres/copy-command.ts";
import { useEmptied } from "../../../support/folder.ts";
import { tables } from "../../../support/store.ts";
import { change } from "../support/databases.ts";
import { newDatabase } from "../support/shared.ts";
import { testOnPostgres } from "../support/test-on-postgres.ts";
import { CopyFolder, stateOf } from "./copy-folder.ts";
import { fillFile, unpackFormer } from "./filled.ts";
import { schemaOf } from "./read-all.ts";

const folder = useEmptied(new CopyFolder());

async function refuseUnchanged(url: string, told: RegExp): Promise<void> {
	const state = async () => [await stateOf(url), folder.files()];
	const before = await state();
	await folder.copyInVain("resort.sqlite", url, told);
	expect(await state()).toEqual(before);
}

describe("`resort copy` refuses a PostgreSQL database as the target if it", () => {
	for (const [what, statement, told] of [
		[
			"has a row",
			"insert into nonces values ('n', 1)",
			/is not empty: table nonces has rows; use an empty database/,
		],
		[
			"has the schema of an older version",
			"update heads set n = n - 1 where slot = 0",
			/was created by an older version of resort/,
		],
	] as const) {
		testOnPostgres(what, async () => {
			await folder.makeFile();
			const url = await newDatabase({ withTables: true });
			await change(url, statement);
			await refuseUnchanged(url, told);
		});
	}

	testOnPostgres("is served by an instance, and refuses it as the source too", async () => {
		await folder.makeFile();
		const url = await newDatabase();
		const resort = await folder.serve(["--port", "0", "--database", url]);
		const served = /is in use \(connections of instances: \d+\); stop all instances/;
		await folder.copyInVain("resort.sqlite", url, served);
		await folder.copyInVain(url, "back.sqlite", served);
		await resort.stop();
	});

	test("cannot be reached", async () => {
		await folder.makeFile();
		const url = "postgres://ada:hunter2@127.0.0.1:1/resort";
		const before = folder.files();
		await folder.copyInVain(
			"resort.sqlite",
			url,
			/cannot use the database postgres:\/\/ada@127\.0\.0\.1:1\//,
		);
		await folder.copyInVain(url, "back.sqlite", /^(?!.*hunter2)/);
		expect(folder.files()).toEqual(before);
	});
});

describe("`resort copy` refuses a source that", () => {
	const emptyDatabase = once(newDatabase);

	testOnPostgres("is an empty PostgreSQL database", async () => {
		const url = await emptyDatabase();
		await folder.copyInVain(url, "back.sqlite", /is empty/);
		expect(folder.files()).toEqual([]);
	});

	const filledWith = (statements: string) => (path: string) => fillFile(path, statements);
	const faults: [what: string, make: (path: string) => Promise<void>, told: RegExp][] = [
		[
			"contains a text with a NUL character",
			filledWith("INSERT INTO nonces VALUES ('hunter2' || char(0), 1)"),
			/table nonces differs from its copy \(\d+ and \d+ rows\)/,
		],
		[
			"contains a number that JavaScript rounds",
			filledWith("INSERT INTO nonces VALUES ('hunter2', (1 << 53) + 1)"),
			/a row has a number that is not a whole number up to 2\^53/,
		],
		[
			"contains a number that is too large for PostgreSQL",
			filledWith("UPDATE stays SET relaxation_points = 1 << 40 WHERE seq = 1"),
			/cannot copy .*: the database returned an error \(22003\)/,
		],
		["does not exist", async () => {}, /resort\.sqlite does not exist$/],
		[
			"has the schema of an older version",
			unpackFormer,
			/resort\.sqlite cannot be copied: its schema is older: resort serve migrates it/,
		],
	];
	for (const [what, make, told] of faults) {
		testOnPostgres(what, async () => {
			await make(folder.file());
			const url = await emptyDatabase();
			await refuseUnchanged(url, told);
			expect(await schemaOf(url)).toEqual([]);
		});
	}

	testOnPostgres("is the database file of a running instance", async () => {
		await folder.makeFile();
		const url = await newDatabase();
		const resort = await folder.serve(["--port", "0"]);
		await folder.copyInVain("resort.sqlite", url, /resort\.sqlite is in use/);
		await resort.stop();
		expect(await schemaOf(url)).toEqual([]);
	});
});

describe("`resort copy` refuses a file as the target if it", () => {
	const database = once(() => newDatabase({ withTables: true }));
	const places: [what: string, make: () => unknown, told: RegExp][] = [
		["exists", () => folder.write("", "to"), /to already exists and was not overwritten/],
		[
			"is a symbolic link to a missing file",
			() => symlinkSync("nowhere", folder.file("to")),
			/to already exists/,
		],
		[
			"has a write-ahead log beside it",
			() => folder.write("frames", "to-wal"),
			/to-wal already exists and was not/,
		],
		[
			"has a rollback journal beside it",
			() => folder.write("pages", "to-journal"),
			/to-journal already exists and was not/,
		],
	];
	for (const [what, make, told] of places) {
		testOnPostgres(what, async () => {
			const url = await database();
			make();
			const state = async () => [folder.names(), await stateOf(url)];
			const before = await state();
			await folder.copyInVain(url, "to", told);
			expect(await state()).toEqual(before);
		});
	}
});

const PG = "postgres://ada:hunter2@db.test/resort";

test.each([
	["from one file to another", "a", "b", "otherwise use resort backup"],
	["from PostgreSQL to PostgreSQL", PG, PG, "copy works only between SQLite and PostgreSQL"],
	["from a database in memory", ":memory:", PG, "FROM :memory: is not a file"],
	["to the standard output", PG, "-", "TO - is not a file"],
	["to a missing folder", PG, "no/such/folder", 'TO "no/such/folder": must be a file in a folder'],
	["to a URL with an unknown `sslmode`", "a", `${PG}?sslmode=on`, 'TO "(hidden)": unknown sslmode "on"'],
])("`resort copy` refuses to copy %s, and prints no password", async (_, from, to, told) => {
	const copying = copyDatabase(tables, from, to, new AbortController().signal);
	const { exitCode, message } = await copying.catch((error) => error);
	expect({ exitCode, message }).toEqual({ exitCode: 2, message: expect.stringContaining(told) });
	expect(message).not.toContain("hunter2");
});
