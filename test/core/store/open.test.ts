import { expect, test } from "bun:test";
import { copyFileSync, symlinkSync, writeFileSync } from "node:fs";
import { StartError } from "../../../src/core/lib/start-error.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";
import { rule } from "../../support/store.ts";
import { thrownBy } from "../../support/values.ts";
import { makeDatabaseOf } from "./older.ts";
import { agentIds, insertAgent } from "./rows.ts";

const folder = useFreshFolder();

test.each(["an empty file", "a file that the resort left when it was killed during its first commit"])(
	"openStore opens %s",
	async (what) => {
		writeFileSync(folder.file(), "");
		if (what !== "an empty file") {
			// The killed resort leaves the first page, and a journal that makes SQLite remove this page again.
			makeDatabaseOf(0, folder.file());
			const journal = Buffer.alloc(512);
			journal.write("d9d505f920a163d7", "hex");
			journal.writeUInt32BE(512, 20);
			journal.writeUInt32BE(4096, 24);
			writeFileSync(`${folder.file()}-journal`, journal);
		}
		for (const ids of [["a"], ["a", "b"]]) {
			const store = openStore(folder.file());
			insertAgent(store, `${ids.at(-1)}`);
			expect(agentIds(store)).toEqual(ids);
			await store.close();
		}
	},
);

test.each([
	["journal_mode", "wal"],
	["trusted_schema", 0],
	["synchronous", 2],
	["foreign_keys", 1],
	["secure_delete", 1],
	["mmap_size", 0],
	["busy_timeout", 0],
	["temp_store", 2],
	["wal_autocheckpoint", 8_000],
])("openStore sets the pragma `%s` to %p, both for a new and for an existing file", async (pragma, value) => {
	for (const _opening of ["new", "old"]) {
		const store = openStore(folder.file());
		const row = store.sqlite.query(`PRAGMA ${pragma}`).get();
		expect(Object.values(Object(row))).toEqual([value]);
		await store.close();
	}
});

test("close() commits pending changes, and merges the write-ahead log into the database file", async () => {
	const store = openStore(folder.file());
	const ids = Array.from({ length: 600 }, (_, at) => `${at}`);
	const writes = ids.map((id) => store.write(rule(() => insertAgent(store, id))));
	await store.close();
	await Promise.all(writes);
	copyFileSync(folder.file(), folder.file("copy.sqlite"));
	const copy = openStore(folder.file("copy.sqlite"));
	expect(agentIds(copy)).toEqual(ids);
	await copy.close();
});

test.each(["before", "after"])(
	"openStore opens a database through a symbolic link created %s the file, but not while the database is open",
	async (moment) => {
		const link = folder.file("link.sqlite");
		if (moment === "after") await openStore(folder.file()).close();
		symlinkSync(folder.file(), link);
		const store = openStore(link);
		insertAgent(store, "a");
		// Tries several times, because a refused attempt must not release the lock of the open store.
		for (const file of [link, folder.file(), folder.file()]) {
			const error = thrownBy(() => openStore(file));
			expect(error).toBeInstanceOf(StartError);
			expect(String(error)).toContain("in use");
		}
		await store.close();
		const again = openStore(folder.file());
		expect(agentIds(again)).toEqual(["a"]);
		await again.close();
	},
);
