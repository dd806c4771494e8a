import { settings } from "../config/settings.ts";
import { pgRestoreLine } from "../store/postgres/command-lines.ts";
import { restore as restoreDatabase } from "../store/sqlite/file/restore.ts";
import { databaseFile } from "./backup.ts";
import { parseFileCommand } from "./flags.ts";
import { print } from "./print.ts";

/** The flags of `resort restore`. */
export const restoreFlags = {
	database: { ...settings.database, help: "database file to replace" },
	config: settings.config,
};

/**
 * `resort restore FILE`: puts a copy in the place of the database, and keeps the one before it.
 * @throws StartError with exit code 2 when the database is PostgreSQL, 1 when the copy is no sound one or an instance
 * serves the database; nothing has changed then
 */
export function restore(args: readonly string[]): void {
	const { file, flags } = parseFileCommand("restore", args, restoreFlags);
	const database = databaseFile(flags, (url) =>
		pgRestoreLine(url, process.env, file),
	);
	const { path, kept } = restoreDatabase(file, database, Date.now());
	print(`${JSON.stringify({ restored: path, kept })}\n`);
}
