import { printJson } from "../../core/commands/print.ts";
import type { Command } from "../../core/commands/resort-command.ts";
import { stopSignal } from "../../core/commands/signals.ts";
import { givenText, parseGiven } from "../../core/config/setting-sources.ts";
import { because, SettingError, StartError } from "../../core/lib/start-error.ts";
import { copyAll } from "../../core/store/copy.ts";
import { engineOf } from "../../core/store/engines.ts";

/** `resort copy` */
export const copy: Command = {
	summary: "Copy a resort from SQLite to PostgreSQL, or back",
	about: `Copies all rows with their ids, keys and sessions. Stop all instances of both databases first. One of FROM and TO is
a database file, the other the URL of a PostgreSQL database, as for --database.

If TO is a file, it must not exist; if it is a PostgreSQL database, it must be empty. The copy is compared with FROM row by row. If anything fails,
FROM and TO stay unchanged.
Prints one line of JSON on stdout: from, copy, and tables with the number of rows and the SHA-256 of each table.
Passwords come from PGPASSWORD or the file named by PGPASSFILE. Rate limits are not copied.`,
	words: "FROM TO",
	flags: {},
	run: ({ words: [from = "", to = ""] }) => copyDatabase(from, to),
};

async function copyDatabase(from: string, to: string): Promise<void> {
	requireDatabase("FROM", from);
	requireDatabase("TO", to);
	const [reader, writer] = [engineOf(from), engineOf(to)];
	if (reader === writer) {
		throw new SettingError(
			"copy works only between SQLite and PostgreSQL; otherwise use resort backup, or pg_dump and pg_restore",
		);
	}
	const signal = stopSignal();
	const access = { environment: process.env, signal };
	await using resources = new AsyncDisposableStack();
	try {
		const source = await reader.openSource({ database: from, ...access });
		resources.defer(() => source.close());
		const target = await writer.openTarget({ database: to, ...access });
		resources.defer(() => target.close());
		const tables = await copyAll(source, target);
		printJson({ from: source.path, copy: target.path, tables });
	} catch (error) {
		// A StartError is passed on, because it may report that the result of the copy is unknown.
		if (signal.aborted && !(error instanceof StartError)) {
			throw new StartError("stopped: nothing was copied");
		}
		throw because(`cannot copy ${reader.shown(from)} to ${writer.shown(to)}`, error);
	}
}

function requireDatabase(name: string, text: string): void {
	parseGiven("database", givenText("database", name, text));
	if (text === ":memory:" || text === "-") {
		throw new SettingError(`${name} ${text} is not a file`);
	}
}
