import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { once } from "../../../../src/core/lib/once.ts";
import { useEmptied } from "../../../support/folder.ts";
import { look, visit } from "../../../support/visit.ts";
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

describe("resort copy refuses a TO in PostgreSQL that", () => {
	const refusals: [what: string, statement: string, told: RegExp][] = [
		[
			"has an agent",
			"insert into agents (id, name, relaxation_style, comfort_objects, interests, created_at) values ('b', '', '', '', '', 1)",
			/is not empty: table agents has rows; use an empty database/,
		],
		["has a nonce alone", "insert into nonces values ('n', 1)", /is not empty: table nonces has rows/],
		[
			"has tables of another program",
			"create table diary (entry text)",
			/it is neither empty nor a resort.s/,
		],
		["lacks a column", "alter table agents drop column bio", /the database returned an error \(42703\)/],
		[
			"is of a newer version",
			"update heads set n = n + 1 where slot = 0",
			/it was written by a newer version of resort \(its schema is \d+, this program uses \d+\)/,
		],
	];
	for (const [what, statement, told] of refusals) {
		testOnPostgres(what, async () => {
			await folder.makeFile();
			const withTables = !statement.startsWith("create table");
			const url = await newDatabase({ withTables });
			await change(url, statement);
			await refuseUnchanged(url, told);
		});
	}

	testOnPostgres("an instance serves", async () => {
		await folder.makeFile();
		const url = await newDatabase();
		const resort = await folder.serve(["--port", "0", "--database", url]);
		const served = /is in use \(connections of instances: \d+\); stop all instances/;
		await folder.copyInVain("resort.sqlite", url, served);
		await folder.copyInVain(url, "back.sqlite", served);
		const guest = await visit(resort.url);
		await resort.stop();
		await folder.copyInVain("resort.sqlite", url, /is not empty: table agents/);
		await folder.copyWell(url, "back.sqlite");
		expect([...look(folder.file("back.sqlite")).ids]).toEqual([guest.agent]);
	});

	test("cannot be reached", async () => {
		await folder.makeFile();
		const url = "postgres://ada:hunter2@127.0.0.1:1/resort";
		const before = folder.files();
		await folder.copyInVain(
			"resort.sqlite",
			url,
			/cannot use the database postgres:\/\/ada@127\.0\.0\.1:1\/resort/,
		);
		await folder.copyInVain(url, "back.sqlite", /^(?!.*hunter2)/);
		expect(folder.files()).toEqual(before);
	});
});

describe("resort copy refuses a FROM that", () => {
	const emptyDatabase = once(newDatabase);

	testOnPostgres("is an empty PostgreSQL database", async () => {
		const url = await emptyDatabase();
		await folder.copyInVain(url, "back.sqlite", /is empty/);
		expect(folder.files()).toEqual([]);
	});

	const faults: [what: string, statements: string[], told: RegExp][] = [
		[
			"contains NUL in a text",
			["INSERT INTO nonces VALUES ('hunter2' || char(0), 1)"],
			/table nonces differs from its copy \(\d+ and \d+ rows\)/,
		],
		[
			"contains text instead of bytes",
			[
				"UPDATE sessions SET token_hash = 'hunter2' WHERE token_hash = (SELECT min(token_hash) FROM sessions)",
			],
			/table sessions differs from its copy \(\d+ and \d+ rows\)/,
		],
		[
			"contains a number that JavaScript rounds",
			["INSERT INTO nonces VALUES ('hunter2', (1 << 53) + 1)"],
			/a row has a number that is not a whole number up to 2\^53/,
		],
		[
			"contains a number that is too large for PostgreSQL",
			["UPDATE stays SET relaxation_points = 1 << 40 WHERE seq = 1"],
			/cannot copy .*: the database returned an error \(22003\)/,
		],
		[
			"has broken references",
			["PRAGMA foreign_keys = OFF", "UPDATE stays SET agent_id = 'nobody' WHERE seq = 1"],
			/broken references: 1/,
		],
	];
	for (const [what, statements, told] of faults) {
		testOnPostgres(what, async () => {
			await fillFile(folder.file(), statements);
			const url = await emptyDatabase();
			await refuseUnchanged(url, told);
			expect(await schemaOf(url)).toEqual([]);
		});
	}

	testOnPostgres("is of an older version", async () => {
		await unpackFormer(folder.file());
		const url = await emptyDatabase();
		const before = folder.files();
		await folder.copyInVain(
			"resort.sqlite",
			url,
			/resort\.sqlite cannot be copied: its schema is older: resort serve migrates it/,
		);
		expect(folder.files()).toEqual(before);
		expect(await schemaOf(url)).toEqual([]);
	});

	testOnPostgres("is a file that an instance serves", async () => {
		await folder.makeFile();
		const url = await newDatabase();
		const resort = await folder.serve(["--port", "0"]);
		await folder.copyInVain("resort.sqlite", url, /resort\.sqlite is in use/);
		await resort.stop();
		expect(await schemaOf(url)).toEqual([]);
		await folder.copyWell("resort.sqlite", url);
	});
});

describe("resort copy refuses a file as TO that", () => {
	const database = once(() => newDatabase({ withTables: true }));
	const places: [what: string, make: () => unknown, told: RegExp][] = [
		["exists", () => Bun.write(folder.file("to"), ""), /to already exists and was not overwritten/],
		["is a link to a missing file", () => symlinkSync("nowhere", folder.file("to")), /to already exists/],
		[
			"still has a log",
			() => Bun.write(folder.file("to-wal"), "frames"),
			/to-wal already exists and was not overwritten/,
		],
		[
			"still has a journal",
			() => Bun.write(folder.file("to-journal"), "pages"),
			/to-journal already exists and was not overwritten/,
		],
	];
	for (const [what, make, told] of places) {
		testOnPostgres(what, async () => {
			const url = await database();
			await make();
			const before = folder.names();
			const state = await stateOf(url);
			await folder.copyInVain(url, "to", told);
			expect(folder.names()).toEqual(before);
			expect(await stateOf(url)).toEqual(state);
		});
	}
});

describe("resort copy", () => {
	const PG = "postgres://ada:hunter2@db.test/resort";
	const wrong: [args: string[], told: string][] = [
		[[], "copy takes FROM and TO; see resort copy --help"],
		[["a", ""], "copy: an argument is empty"],
		[["a", PG, "c"], "copy takes FROM and TO"],
		[["a", "b"], "otherwise use resort backup"],
		[[PG, PG], "copy works only between SQLite and PostgreSQL"],
		[[":memory:", PG], "FROM :memory: is not a file"],
		[[PG, ":memory:"], "TO :memory: is not a file"],
		[[PG, "-"], "TO - is not a file"],
		[[PG, "no/such/folder"], 'TO "no/such/folder": must be a file in a folder'],
		[["a", `${PG}?sslmode=on`], 'TO "(hidden)": unknown sslmode "on"'],
		[[`${PG}?a=b`, "a"], 'FROM "(hidden)": unknown parameter'],
	];
	test.each(wrong)("%p is refused with exit 2", async (args, told) => {
		const stderr = await folder.refuse(["copy", ...args], told, 2);
		expect(stderr).not.toContain("hunter2");
		expect(folder.files()).toEqual([]);
	});
});
