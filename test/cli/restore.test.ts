import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { APPLICATION_ID } from "../../src/core/store/sqlite/database-file.ts";
import { migrations } from "../../src/core/store/sqlite/sqlite-migrations.ts";
import { change, makeDatabaseOf } from "../core/store/older.ts";
import { useFreshFolder } from "../support/folder.ts";
import { asUser, isRoot, permissionsOf } from "../support/user.ts";
import { look } from "../support/visit.ts";

const folder = useFreshFolder();

const contentOf = (name: string) => folder.contents()[name] ?? "";

/** Checks that `resort doctor` finds no fault. */
const requireSound = async () => expect((await folder.doctor()).exitCode).toBe(0);

async function visitAndCopy(): Promise<string> {
	const id = await folder.visit();
	await folder.succeed(["backup", "copy"]);
	return id;
}

async function restored(place = {}) {
	return JSON.parse(await folder.succeed(["restore", "copy"], place));
}

function damage(): void {
	const bytes = readFileSync(folder.file("copy"));
	folder.write(bytes.fill(0xa5, 4096, bytes.length - 4096), "copy");
}

function keepFirstPage(): void {
	rmSync(folder.file("copy"));
	makeDatabaseOf(0, folder.file("copy"));
}

const OTHERS = `PRAGMA application_id = ${APPLICATION_ID + 1}`;

describe("resort restore", () => {
	test("replaces the database, keeps the previous one with mode 600, and does not change the backup", async () => {
		const first = await visitAndCopy();
		const copy = contentOf("copy");
		const second = await folder.visit();
		chmodSync(folder.file(), 0o644);
		const { kept, ...rest } = await restored();
		expect([kept, folder.file()].map(permissionsOf)).toEqual([0o600, 0o644]);
		expect(rest).toEqual({ restored: folder.file() });
		expect(kept).toMatch(/resort\.sqlite\.before-restore-\d{8}T\d{9}Z\.bak$/);
		expect(look(kept).ids).toEqual(new Set([first, second]));
		expect(contentOf("copy")).toBe(copy);
		const third = await folder.visit();
		expect(look(folder.file())).toEqual({ ids: new Set([first, third]), integrity: [["ok"]] });
		expect(folder.names().join()).not.toContain(".tmp");
	});

	test("does not apply the write-ahead log of the previous database to the restored one", async () => {
		const first = await visitAndCopy();
		const second = await folder.visit("SIGKILL");
		expect(contentOf("resort.sqlite-wal")).not.toBe("");
		const { kept } = await restored();
		expect(folder.names()).not.toContain("resort.sqlite-wal");
		expect(look(kept).ids).toEqual(new Set([first, second]));
		expect(look(folder.file()).ids).toEqual(new Set([first]));
	});

	test("deletes the write-ahead log of a database that is missing", async () => {
		const first = await visitAndCopy();
		await folder.visit("SIGKILL");
		rmSync(folder.file());
		expect((await restored()).kept).toBeNull();
		expect(look(folder.file())).toEqual({ ids: new Set([first]), integrity: [["ok"]] });
	});

	test("replaces a damaged database", async () => {
		const first = await visitAndCopy();
		const main = await Bun.file(folder.file()).bytes();
		// With an invalid page size, SQLite cannot open the file.
		new DataView(main.buffer).setUint16(16, 3);
		folder.write(main, "resort.sqlite");
		const { kept } = await restored();
		expect(await Bun.file(kept).bytes()).toEqual(main);
		expect(look(folder.file()).ids).toEqual(new Set([first]));
	});

	test("replaces a database with a newer schema", async () => {
		const id = await visitAndCopy();
		change(folder.file(), `PRAGMA user_version = ${migrations.length + 1}`);
		expect((await folder.doctor()).exitCode).toBe(1);
		await restored();
		await requireSound();
		expect(look(folder.file()).ids).toEqual(new Set([id]));
	});

	test("keeps the write-ahead log as a file next to the previous database if it cannot read the log", async () => {
		const first = await visitAndCopy();
		const second = await folder.visit("SIGKILL");
		const names = ["resort.sqlite", "resort.sqlite-lock", "copy"];
		const before = asUser(folder.path, ...names.map((name) => folder.file(name)));
		chmodSync(folder.file("resort.sqlite-wal"), 0);
		if (isRoot) chownSync(folder.file("resort.sqlite-wal"), 0, 0);
		const { kept } = await restored({ before });
		chmodSync(`${kept}-wal`, 0o600);
		expect(look(kept).ids).toEqual(new Set([first, second]));
		expect(look(folder.file()).ids).toEqual(new Set([first]));
	});

	test("is refused while another program has the database open", async () => {
		await visitAndCopy();
		const before = contentOf("resort.sqlite");
		const reader = new Database(folder.file(), { readonly: true });
		reader.run("SELECT count(*) FROM agents");
		await folder.refuse(["restore", "copy"], "open in another program", 1);
		reader.close();
		expect(contentOf("resort.sqlite")).toBe(before);
		expect(folder.names().join()).not.toMatch(/tmp|before/);
		await restored();
	});

	test.each<[what: string, spoil: () => void, told: RegExp]>([
		["missing", () => rmSync(folder.file("copy")), /does not exist/],
		["empty", () => folder.write("", "copy"), /is empty/],
		["a text file", () => folder.write("dear diary ".repeat(100), "copy"), /not a SQLite database/],
		["the database of another program", () => change(folder.file("copy"), OTHERS), /not a resort's database/],
		["damaged", damage, /copy cannot be used: .*; restore another backup$/m],
		["a database without tables", keepFirstPage, /is empty/],
	])("refuses a backup that is %s, and changes nothing", async (_what, spoil, told) => {
		await visitAndCopy();
		spoil();
		const before = folder.contents();
		await folder.refuse(["restore", "copy"], told, 1);
		expect(folder.contents()).toEqual(before);
	});

	test("accepts a backup with an older schema, which the next start migrates", async () => {
		makeDatabaseOf(migrations.length - 1, folder.file("copy"));
		await restored();
		await folder.visit();
		await requireSound();
	});

	test("reports that the user cannot read the backup", async () => {
		await visitAndCopy();
		const before = asUser(folder.path, folder.file());
		chmodSync(folder.file("copy"), 0);
		mkdirSync(folder.file("closed"));
		chmodSync(folder.file("closed"), 0);
		const told = /^resort: database \S*(copy|closed\/c) cannot be read: .*\(EACCES\)\n$/;
		for (const copy of ["copy", "closed/c"]) {
			await folder.refuse(["restore", copy], told, 1, { before });
		}
	});

	test.each([
		["the database itself as backup", ["resort.sqlite"], "is the database itself"],
		["to replace a file that is not a database", ["copy", "--database", "letter"], "not a SQLite database"],
	])("refuses %s, and changes nothing", async (_, args, told) => {
		await visitAndCopy();
		folder.write("dear diary ".repeat(100), "letter");
		const before = folder.contents();
		await folder.refuse(["restore", ...args], told, 1);
		const { "letter-lock": _lock, ...after } = folder.contents();
		expect(after).toEqual(before);
	});
});
