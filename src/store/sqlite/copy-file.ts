import type { Database, SQLQueryBindings } from "bun:sqlite";
import { resolve } from "node:path";
import { because, StartError } from "../../lib/start-error.ts";
import { list, ROWS_AT_ONCE, type Row } from "../copy/copied-tables.ts";
import type { Source, Target } from "../engine.ts";
import { APPLICATION_ID, existingDatabase, realPath } from "./database-file.ts";
import { lockFile } from "./database-lock.ts";
import { openSound } from "./examine-file.ts";
import { findDamage, findOrphans, openDatabase, readCell, WRITABLE } from "./open-database.ts";
import { migrate } from "./sqlite-migrations.ts";
import { requireFree, temporaryName, UnfinishedFile } from "./unfinished-file.ts";

/**
 * The pragmas for filling a new file. The file is discarded if anything fails, so writes need not be durable
 * until the file is complete.
 */
const fastPragmas = [
	`application_id = ${APPLICATION_ID}`,
	"journal_mode = MEMORY",
	"synchronous = OFF",
	"locking_mode = EXCLUSIVE",
	"cache_size = -262144",
];

/**
 * Opens a database file as the source of a copy, and prevents other processes from serving it.
 * @throws StartError if the file is missing, in use or damaged, or if its schema is not the newest schema of
 * the resort
 */
export function openSource(path: string): Source {
	const file = existingDatabase(path);
	using resources = new DisposableStack();
	resources.use(lockFile(file, "replace"));
	const sqlite = resources.use(openSound(file, ["ok"]));
	// Reads everything from one snapshot, because programs other than resort may write to the file.
	sqlite.run("BEGIN");
	const opened = resources.move();
	return { ...readerOf(sqlite, file), close: async () => opened.dispose() };
}

/**
 * Creates a database file with the newest schema as the target of a copy. The file gets its final name when
 * it is complete.
 * @throws StartError if the file or a log for it already exists, or the file cannot be created
 */
export function openTarget(path: string): Target {
	requireFree(resolve(path));
	const file = realPath(path);
	// Requires that no log of a moved or deleted database exists, because SQLite would apply it to the new
	// database.
	for (const suffix of ["-wal", "-journal"]) requireFree(file + suffix);
	try {
		using resources = new DisposableStack();
		const unfinished = resources.use(new UnfinishedFile(temporaryName(file)));
		const sqlite = resources.use(openDatabase(unfinished.path, WRITABLE));
		for (const pragma of fastPragmas) sqlite.run(`PRAGMA ${pragma}`);
		migrate(sqlite, null);
		// Rows are inserted without checking foreign keys. All foreign keys are checked at the end.
		sqlite.run("PRAGMA foreign_keys = OFF");
		sqlite.run("BEGIN");
		return targetOf(sqlite, file, unfinished, resources.move());
	} catch (error) {
		throw because(`database ${file} cannot be created`, error);
	}
}

function targetOf(
	sqlite: Database,
	file: string,
	unfinished: UnfinishedFile,
	resources: DisposableStack,
): Target {
	return {
		...readerOf(sqlite, file),
		async add({ name, columns }, rows) {
			const names = columns.map((column) => column.name);
			using insert = sqlite.prepare<unknown, SQLQueryBindings[]>(
				`INSERT INTO "${name}" (${list(names)}) VALUES (${names.map(() => "?").join()})`,
			);
			for (const row of rows) {
				insert.run(...names.map((column) => row[column] ?? null));
			}
		},
		async complete() {
			const damage = findOrphans(sqlite) ?? findDamage(sqlite);
			if (damage === null) return;
			throw new StartError(`the copy is damaged: ${damage}`);
		},
		async keep(lastEventId) {
			// Sets the id of the next event. In the other tables, SQLite itself numbers the next row after the last
			// row.
			sqlite.run("DELETE FROM sqlite_sequence WHERE name = 'events'");
			sqlite.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)", [lastEventId]);
			sqlite.run("COMMIT");
			// Switches the file from MEMORY to WAL, the journal mode in which the resort serves and backs up
			// databases.
			sqlite.run("PRAGMA journal_mode = WAL");
			sqlite.close(true);
			unfinished.renameToFree(file);
		},
		close: async () => resources.dispose(),
	};
}

function readerOf(sqlite: Database, path: string): Pick<Source, "path" | "rows" | "lastEventId"> {
	return {
		path,
		async *rows({ name, columns, key }) {
			const names = list(columns.map((column) => column.name));
			using select = sqlite.prepare<Row, []>(`SELECT ${names} FROM "${name}" ORDER BY ${list(key)}`);
			let rows: Row[] = [];
			for (const row of select.iterate()) {
				rows.push(row);
				if (rows.length < ROWS_AT_ONCE) continue;
				yield rows;
				rows = [];
			}
			if (rows.length > 0) yield rows;
		},
		// AUTOINCREMENT stores the highest id of `events` in this table.
		async lastEventId() {
			const text = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";
			return Number(readCell(sqlite, text) ?? 0);
		},
	};
}
