import { readSettings } from "../config/config.ts";
import { isPostgres } from "../config/postgres/url.ts";
import { settings } from "../config/settings.ts";
import type { Flags } from "../config/sources.ts";
import { StartError } from "../lib/start-error.ts";
import { pgDumpLine } from "../store/postgres/command-lines.ts";
import { backUp } from "../store/sqlite/file/copy.ts";
import { parseFileCommand } from "./flags.ts";
import { print } from "./print.ts";

/** The flags of `resort backup`. */
export const backupFlags = {
	database: { ...settings.database, help: "database file to copy" },
	config: settings.config,
};

/**
 * `resort backup FILE`: copies the database, also while an instance serves it.
 * @throws StartError with exit code 2 when FILE is `-` or the database is PostgreSQL, 1 when there is nothing to copy, or FILE is there already
 * or cannot be written
 */
export function backup(args: readonly string[]): void {
	const { file, flags } = parseFileCommand("backup", args, backupFlags);
	if (file === "-") {
		throw new StartError(
			"backup writes a file, not to stdout: FILE must not be -; for a file of that name say ./-",
			2,
		);
	}
	const database = databaseFile(flags, (url) =>
		pgDumpLine(url, process.env, file),
	);
	const { path, bytes } = backUp(database, file);
	print(`${JSON.stringify({ backup: path, bytes })}\n`);
}

/**
 * The file that the setting `--database` names.
 * @param lineFor the command line that does the work on the PostgreSQL database of a URL
 * @throws StartError with exit code 2 when it is wrong or PostgreSQL, 1 when it names no file
 */
export function databaseFile(
	flags: Flags,
	lineFor: (url: string) => string,
): string {
	const { database } = readSettings(["database"], flags, process.env);
	if (isPostgres(database)) {
		throw new StartError(
			`the database is PostgreSQL, whose own program does this: ${lineFor(database)}`,
			2,
		);
	}
	if (database !== ":memory:") return database;
	throw new StartError("database :memory: is no file; give --database", 1);
}
