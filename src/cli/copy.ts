import { isatty } from "node:tty";
import { shownDatabase } from "../config/postgres/shown.ts";
import { isPostgres } from "../config/postgres/url.ts";
import { settings } from "../config/settings.ts";
import { refusal } from "../config/sources.ts";
import { StartError } from "../lib/start-error.ts";
import { copyAll } from "../store/copy/copy.ts";
import type { Source, Target } from "../store/copy/place.ts";
import { PostgresSource } from "../store/copy/postgres-source.ts";
import { PostgresTarget } from "../store/copy/postgres-target.ts";
import { SqliteSource } from "../store/copy/sqlite-source.ts";
import { SqliteTarget } from "../store/copy/sqlite-target.ts";
import { readAddress } from "../store/postgres/address.ts";
import { PostgresFailure } from "../store/postgres/failures.ts";
import { because } from "../store/sqlite/file/file.ts";
import { parseWords } from "./flags.ts";
import { print } from "./print.ts";
import { SIGNALS } from "./signals.ts";

const STDERR = 2;

/**
 * `resort copy FROM TO`: copies a resort that nobody serves from SQLite to PostgreSQL or back, and compares both.
 * @throws StartError with exit code 2 when FROM and TO are not a file and a URL, 1 when either cannot be used or they
 * differ afterwards; then FROM and TO are as they were
 */
export async function copy(args: readonly string[]): Promise<void> {
	const [from = "", to = ""] = parseWords("copy", args, ["FROM", "TO"]);
	requireDatabase("FROM", from);
	requireDatabase("TO", to);
	if (isPostgres(from) === isPostgres(to)) {
		throw new StartError(
			isPostgres(from)
				? "copy goes from SQLite to PostgreSQL or back; between two PostgreSQL databases use pg_dump and pg_restore"
				: "copy goes from SQLite to PostgreSQL or back; for a copy of a database file use resort backup",
			2,
		);
	}
	const signal = stopSignal();
	let source: Source | null = null;
	let target: Target | null = null;
	try {
		source = await openSource(from, signal);
		target = await openTarget(to, signal);
		const tables = await copyAll(source, target, tellProgress);
		const summary = { from: source.path, copy: target.path, tables };
		print(`${JSON.stringify(summary)}\n`);
	} catch (error) {
		if (signal.aborted && error instanceof PostgresFailure) {
			throw new StartError("stopped: nothing was copied", 1);
		}
		throw because(
			`cannot copy ${shownDatabase(from)} to ${shownDatabase(to)}`,
			error,
		);
	} finally {
		await target?.close();
		await source?.close();
		onTerminal("");
	}
}

function requireDatabase(name: string, text: string): void {
	const setting = settings.database;
	if (setting.read(text) === undefined) {
		const shown = ` ${JSON.stringify(shownDatabase(text))}`;
		throw refusal(setting, { from: name, shown }, text);
	}
	if (text === ":memory:" || text === "-") {
		throw new StartError(`${name} ${text} is no file`, 2);
	}
}

async function openSource(
	database: string,
	signal: AbortSignal,
): Promise<Source> {
	return isPostgres(database)
		? PostgresSource.open(readAddress(database, process.env), signal)
		: SqliteSource.open(database);
}

async function openTarget(
	database: string,
	signal: AbortSignal,
): Promise<Target> {
	return isPostgres(database)
		? PostgresTarget.open(readAddress(database, process.env), signal)
		: SqliteTarget.open(database);
}

/** Comes with the first signal that tells the program to stop, so that no unfinished file is left behind. */
function stopSignal(): AbortSignal {
	const stop = new AbortController();
	for (const name of SIGNALS) process.once(name, () => stop.abort());
	return stop.signal;
}

function tellProgress(doing: string, table: string, rows: number): void {
	onTerminal(`${doing} ${table}: ${rows} rows`);
}

/** Writes a line of stderr anew when that is a terminal. */
function onTerminal(text: string): void {
	if (isatty(STDERR)) process.stderr.write(`\r\x1b[K${text}`);
}
