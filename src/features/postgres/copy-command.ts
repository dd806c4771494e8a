import { printJson } from "../../core/commands/print.ts";
import type { Command } from "../../core/commands/resort-command.ts";
import { stopSignal } from "../../core/commands/signals.ts";
import { givenText, parseGiven } from "../../core/config/setting-sources.ts";
import { coreSettings } from "../../core/config/settings.ts";
import { because, SettingError, StartError } from "../../core/lib/start-error.ts";
import { sqlite } from "../../core/store/sqlite/sqlite-engine.ts";
import type { Table } from "../../core/store/table-queries.ts";
import { copyAll, describeTables } from "./copy.ts";
import { openSource, openTarget } from "./copy-file.ts";
import { openPostgres } from "./postgres-copy.ts";
import { postgresEngine } from "./postgres-engine.ts";

/** The setting `--database` for the two engines between which `resort copy` copies. */
const { database } = coreSettings([sqlite, postgresEngine]);

/** Creates `resort copy`. */
export const createCopy = (loadTables: () => Promise<readonly Table[]>): Command => ({
	summary: "Copy a resort from SQLite to PostgreSQL, or back",
	about: `Copies all rows with their ids, keys and sessions. Stop all instances of both databases first. One of FROM and TO is
a database file, the other the URL of a PostgreSQL database, as for --database.

If TO is a file, it must not exist; if it is a PostgreSQL database, it must be empty. The copy is compared with FROM row by row. If anything fails,
FROM and TO stay unchanged.
Prints one line of JSON on stdout: from, copy, and tables with the number of rows and the SHA-256 of each table.
Passwords come from PGPASSWORD or the file named by PGPASSFILE. Rate limits are not copied.`,
	words: "FROM TO",
	flags: {},
	run: async ({ words: [from = "", to = ""] }) => copyDatabase(await loadTables(), from, to, stopSignal()),
});

/**
 * Copies a database and prints a summary. An abort of the signal stops the copy.
 * @throws StartError if the copy is refused or fails
 */
export async function copyDatabase(
	loaded: readonly Table[],
	from: string,
	to: string,
	signal: AbortSignal,
): Promise<void> {
	requireDatabase("FROM", from);
	requireDatabase("TO", to);
	const isFromServer = postgresEngine.isNamedBy(from);
	if (isFromServer === postgresEngine.isNamedBy(to)) {
		throw new SettingError(
			"copy works only between SQLite and PostgreSQL; otherwise use resort backup, or pg_dump and pg_restore",
		);
	}
	const tables = describeTables(loaded);
	const openServer = (role: "source" | "target", database: string) =>
		openPostgres(role, tables, { database, environment: process.env, signal });
	try {
		await using source = isFromServer ? await openServer("source", from) : openSource(from);
		await using target = isFromServer ? openTarget(to) : await openServer("target", to);
		printJson({ from: source.path, copy: target.path, tables: await copyAll(tables, source, target) });
	} catch (error) {
		// A StartError is passed on, because it may report that the result of the copy is unknown.
		if (signal.aborted && !(error instanceof StartError)) {
			throw new StartError("stopped: nothing was copied");
		}
		throw because(`cannot copy ${database.show(from)} to ${database.show(to)}`, error);
	}
}

function requireDatabase(name: string, text: string): void {
	parseGiven(database, givenText(database, name, text));
	if (text === ":memory:" || text === "-") {
		throw new SettingError(`${name} ${text} is not a file`);
	}
}
