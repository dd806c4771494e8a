import type { Database, SQLQueryBindings } from "bun:sqlite";
import { lstatSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { because, StartError } from "../../../lib/start-error.ts";
import { type CopiedTable, list } from "../../copy/copied-tables.ts";
import type { Row, Target } from "../../copy/place.ts";
import { traceOfAbsent } from "../file/absence.ts";
import { countOrphans, findDamage } from "../file/checks.ts";
import { moveToFreeName, requireFree, unfinishedName } from "../file/copy.ts";
import {
	APPLICATION_ID,
	makeFile,
	PRIVATE,
	realPath,
	removeUnfinished,
	sync,
} from "../file/file.ts";
import { migrate } from "../file/migrate.ts";
import { openDatabase, WRITABLE } from "../file/open.ts";
import { lastEventIdOf, rowsOf } from "./rows.ts";

/** A new file is thrown away when anything fails, so nothing is safe before it is whole. */
const WHILE_FILLED = [
	`application_id = ${APPLICATION_ID}`,
	"journal_mode = MEMORY",
	"synchronous = OFF",
	"locking_mode = EXCLUSIVE",
	"cache_size = -262144",
];

/** A database file that is not there yet. It is written beside its place, and gets its name when it is whole. */
export class SqliteTarget implements Target {
	readonly path: string;
	readonly #unfinished: string;
	readonly #sqlite: Database;
	#isKept = false;

	private constructor(path: string, unfinished: string, sqlite: Database) {
		this.path = path;
		this.#unfinished = unfinished;
		this.#sqlite = sqlite;
	}

	/**
	 * Makes the file under the name of an unfinished one.
	 * @throws StartError when there is a file of its name already or what one has left behind, or it cannot be made
	 */
	static open(path: string): SqliteTarget {
		requireFree(resolve(path));
		const file = realPath(path);
		requireNoRest(file);
		const unfinished = unfinishedName(file);
		let sqlite: Database | undefined;
		try {
			makeFile(unfinished, PRIVATE, statSync(dirname(file)));
			sqlite = openDatabase(unfinished, WRITABLE);
			for (const pragma of WHILE_FILLED) sqlite.run(`PRAGMA ${pragma}`);
			migrate(sqlite, null);
			// All references are checked at once at the end.
			sqlite.run("PRAGMA foreign_keys = OFF");
			sqlite.run("BEGIN");
			return new SqliteTarget(file, unfinished, sqlite);
		} catch (error) {
			sqlite?.close();
			removeUnfinished(unfinished);
			throw because(`database ${file} cannot be made`, error);
		}
	}

	async add({ name, columns }: CopiedTable, rows: readonly Row[]) {
		const names = columns.map((column) => column.name);
		const insert = this.#sqlite.prepare<unknown, SQLQueryBindings[]>(
			`INSERT INTO "${name}" (${list(names)}) VALUES (${names.map(() => "?").join()})`,
		);
		try {
			for (const row of rows) insert.run(...names.map((at) => row[at] ?? null));
		} finally {
			insert.finalize();
		}
	}

	async complete(): Promise<void> {
		const orphans = countOrphans(this.#sqlite);
		if (orphans > 0) {
			throw new StartError(
				`the copy is not sound: references that lead nowhere: ${orphans}`,
				1,
			);
		}
		const damage = findDamage(this.#sqlite);
		if (damage !== null) {
			throw new StartError(`the copy is damaged: ${damage}`, 1);
		}
	}

	async *rows(table: CopiedTable) {
		yield* rowsOf(this.#sqlite, table);
	}

	async lastEventId(): Promise<number> {
		return lastEventIdOf(this.#sqlite);
	}

	/** The counters of the other tables begin behind their last rows by themselves. */
	async countFrom(lastEventId: number): Promise<void> {
		this.#sqlite.run("DELETE FROM sqlite_sequence WHERE name = 'events'");
		this.#sqlite.run(
			"INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)",
			[lastEventId],
		);
	}

	async keep(): Promise<void> {
		this.#sqlite.run("COMMIT");
		// As every database that has been served.
		this.#sqlite.run("PRAGMA journal_mode = WAL");
		this.#sqlite.close(true);
		sync(this.#unfinished);
		moveToFreeName(this.#unfinished, this.path);
		this.#isKept = true;
		sync(dirname(this.path));
	}

	async close(): Promise<void> {
		if (this.#isKept) return;
		this.#sqlite.close();
		removeUnfinished(this.#unfinished);
	}
}

/** SQLite would apply what a moved or removed database has left behind to the new one. */
function requireNoRest(file: string): void {
	const trace = traceOfAbsent(file);
	if (trace !== null) throw new StartError(trace, 1);
	const journal = `${file}-journal`;
	if (lstatSync(journal, { throwIfNoEntry: false }) === undefined) return;
	throw new StartError(
		`${file} is not there, but ${journal} is: bring the two together again, or remove it`,
		1,
	);
}
