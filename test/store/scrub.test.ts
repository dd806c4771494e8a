/** What SQLite leaves of rows that it moved to other pages, which `PRAGMA secure_delete` does not overwrite. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { type Random, seededRandom } from "../../src/lib/random.ts";
import { pragmas } from "../../src/store/sqlite/open-database.ts";
import { scrub } from "../../src/store/sqlite/scrub.ts";
import { TemporaryFolder } from "../support/temporary-folder.ts";
import { filesWith, MARK } from "../support/traces.ts";

const ROUNDS = 10;

/** Fills a database with rows that grow, shrink, move and go, and overwrites the marked ones at the end. */
function fill(sqlite: Database, random: Random): void {
	const below = (bound: number) => random.below(bound);
	for (const pragma of pragmas) sqlite.run(`PRAGMA ${pragma}`);
	sqlite.run("PRAGMA synchronous = OFF");
	sqlite.run(
		"CREATE TABLE rows (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, owner TEXT, text TEXT, mood TEXT)",
	);
	sqlite.run("CREATE INDEX rows_by_mood ON rows (mood)");
	const insert = sqlite.prepare(
		"INSERT INTO rows (id, owner, text, mood) VALUES (?, ?, ?, ?)",
	);
	const update = sqlite.prepare(
		"UPDATE rows SET text = ? || substr(text, 5, 0), mood = ? WHERE id = ?",
	);
	const text = (owner: string, most: number) =>
		(owner === "one" ? MARK : "Plain").padEnd(below(most) + 6, "x");
	const rows: [id: string, owner: string][] = [];
	for (let commit = 0; commit < 60; commit++) {
		sqlite.run("BEGIN");
		for (let at = 0; at < 50; at++) {
			const most = [30, 300, 900, 3_000, 9_000][below(5)] ?? 30;
			const [id, owner] = rows[below(rows.length)] ?? ["", ""];
			const kind = rows.length === 0 ? 9 : below(10);
			if (kind < 5) update.run(text(owner, most), text(owner, 60), id);
			else if (kind === 5) {
				sqlite.run("DELETE FROM rows WHERE id = ?", [id]);
				rows.splice(
					rows.findIndex(([one]) => one === id),
					1,
				);
			} else {
				const made = `${below(1e9)}-${commit}-${at}`;
				const by = below(10) < 4 ? "one" : "other";
				insert.run(made, by, text(by, most), text(by, 60));
				rows.push([made, by]);
			}
		}
		sqlite.run("COMMIT");
	}
	insert.finalize();
	update.finalize();
	sqlite.run(
		"UPDATE rows SET text = '(erased)', mood = NULL WHERE owner = 'one'",
	);
}

/** The lengths of the headers of b-tree pages, by their first byte: https://www.sqlite.org/fileformat2.html, 1.6. */
const headers = new Map([
	[2, 12],
	[5, 12],
	[10, 8],
	[13, 8],
]);

/** Returns the bytes of a file, with one byte in all gaps between cell pointers and cells, except in the first page. */
function withGaps(path: string, pageSize: number, byte: number): Buffer {
	const bytes = readFileSync(path);
	for (let at = pageSize; at < bytes.length; at += pageSize) {
		const header = headers.get(bytes.readUInt8(at));
		if (header === undefined) continue;
		const start = at + header + 2 * bytes.readUInt16BE(at + 3);
		// In pages of 65,536 bytes, 0 stands for the end of the page.
		bytes.fill(byte, start, at + (bytes.readUInt16BE(at + 5) || pageSize));
	}
	return bytes;
}

test.each([
	[512, 12_000],
	[65_536, 1],
])(
	"every unused byte between the cells of pages of %d bytes is cleared, and no other byte",
	async (pageSize, count) => {
		using folder = new TemporaryFolder();
		const path = folder.file();
		using sqlite = new Database(path);
		sqlite.run(`PRAGMA page_size = ${pageSize}`);
		sqlite.run("PRAGMA journal_mode = WAL");
		sqlite.run("CREATE TABLE empty (a)");
		sqlite.run("CREATE TABLE rows (seq INTEGER PRIMARY KEY, id TEXT UNIQUE)");
		sqlite.run(
			`WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
			INSERT INTO rows (id) SELECT printf('%050d', n) FROM numbers`,
		);
		sqlite.query("PRAGMA wal_checkpoint(TRUNCATE)").all();
		writeFileSync(path, withGaps(path, pageSize, 0xff));
		const file = openSync(path, "r+");
		using other = new Database(path);
		const scrubbing = scrub(sqlite, file, path);
		// A reader of an older snapshot and a writer delay the scrubbing.
		for (const begin of ["BEGIN", "BEGIN IMMEDIATE"]) {
			other.run(begin);
			other.query("SELECT * FROM rows LIMIT 1").get();
			await Bun.sleep(50);
			other.run("COMMIT");
		}
		await scrubbing;
		const [log] = other.query("PRAGMA wal_checkpoint").values();
		expect(log).toEqual([0, 0, 0]);
		expect(readFileSync(path).equals(withGaps(path, pageSize, 0))).toBe(true);
		closeSync(file);
	},
);

test("is gone after scrubbing, and the database is sound", async () => {
	let left = 0;
	for (let round = 0; round < ROUNDS; round++) {
		using folder = new TemporaryFolder();
		const path = folder.file();
		const sqlite = new Database(path);
		fill(sqlite, seededRandom(round + 1));
		sqlite.query("PRAGMA wal_checkpoint(TRUNCATE)").all();
		if (filesWith(path, MARK).length > 0) left++;
		// Another connection has cached pages with the old bytes, and writes some of them afterwards.
		const other = new Database(path);
		other.query("SELECT sum(length(text)) FROM rows").get();
		const file = openSync(path, "r+");
		await scrub(sqlite, file, path);
		expect(filesWith(path, MARK)).toEqual([]);
		other.run("UPDATE rows SET text = text || 'more' WHERE seq % 3 = 0");
		other.query("PRAGMA wal_checkpoint(TRUNCATE)").all();
		expect(filesWith(path, MARK)).toEqual([]);
		const check = other.query("PRAGMA integrity_check").values();
		expect(check).toEqual([["ok"]]);
		other.close();
		sqlite.close();
		closeSync(file);
	}
	// Otherwise this tests nothing.
	expect(left).toBeGreaterThan(0);
}, 60_000);
