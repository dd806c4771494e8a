import type { Database, SQLQueryBindings } from "bun:sqlite";
import { resolve } from "node:path";
import { because, StartError } from "../../core/lib/start-error.ts";
import { existingDatabase, realPath } from "../../core/store/sqlite/database-file.ts";
import { lockFile } from "../../core/store/sqlite/database-lock.ts";
import { contentFault } from "../../core/store/sqlite/examine-file.ts";
import {
	openReadOnly,
	openWritable,
	readCell,
	schemaVersion,
} from "../../core/store/sqlite/open-database.ts";
import { migrate, migrations } from "../../core/store/sqlite/sqlite-migrations.ts";
import { requireFree, temporaryName, UnfinishedFile } from "../../core/store/sqlite/unfinished-file.ts";
import type { EngineRow } from "../../core/store/store.ts";
import type { CopySource, CopyTarget } from "./copy.ts";

/**
 * Opens a database file as the source of a copy, and prevents other processes from serving it.
 * @throws StartError if the file is missing, in use or damaged, or has an older schema
 */
export function openSource(path: string): CopySource {
	const file = existingDatabase(path);
	using resources = new DisposableStack();
	resources.use(lockFile(file, "replace"));
	const sqlite = resources.use(openReadOnly(file));
	const isOlder = schemaVersion(sqlite) < migrations.length;
	const fault = contentFault(sqlite) ?? (isOlder ? "its schema is older: resort serve migrates it" : null);
	if (fault !== null) throw new StartError(`database ${file} cannot be copied: ${fault}`);
	// Reads everything from one snapshot, because programs other than resort may write to the file.
	sqlite.run("BEGIN");
	return sourceOf(sqlite, file, resources.move());
}

/**
 * Creates a database file as the target of a copy. It gets its final name when it is complete.
 * @throws StartError if the file or a log for it already exists, or the file cannot be created
 */
export function openTarget(path: string): CopyTarget {
	requireFree(resolve(path));
	const file = realPath(path);
	// SQLite would apply the log of a moved or deleted database to the new one.
	for (const suffix of ["-wal", "-journal"]) requireFree(file + suffix);
	try {
		using resources = new DisposableStack();
		const unfinished = resources.use(new UnfinishedFile(temporaryName(file)));
		const sqlite = resources.use(openWritable(unfinished.path));
		migrate(sqlite, null);
		sqlite.run("BEGIN");
		return {
			...sourceOf(sqlite, file, resources.move()),
			async keep(lastEventId) {
				// Only `events` needs a counter: in other tables, SQLite numbers a new row after the last row.
				sqlite.run("DELETE FROM sqlite_sequence WHERE name = 'events'");
				sqlite.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)", [lastEventId]);
				sqlite.run("COMMIT");
				// Moves the rows from the log to the file, because only the file is renamed.
				sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
				sqlite.close(true);
				unfinished.renameToFree(file);
			},
		};
	} catch (error) {
		throw because(`database ${file} cannot be created`, error);
	}
}

function sourceOf(sqlite: Database, path: string, resources: DisposableStack): CopySource {
	return {
		path,
		async query(text, parameters) {
			using statement = sqlite.prepare<EngineRow, SQLQueryBindings[]>(text);
			return statement.all(...parameters);
		},
		// AUTOINCREMENT stores the highest id of `events` in this table.
		lastEventId: async () =>
			Number(readCell(sqlite, "SELECT seq FROM sqlite_sequence WHERE name = 'events'") ?? 0),
		[Symbol.asyncDispose]: async () => resources.dispose(),
	};
}
