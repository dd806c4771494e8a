import { readSettings } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import type { Flags } from "../config/sources.ts";
import { StartError } from "../lib/start-error.ts";
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
 * @throws StartError with exit code 2 when FILE is `-`, 1 when there is nothing to copy, or FILE is there already
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
	const { path, bytes } = backUp(databaseFile(flags), file);
	print(`${JSON.stringify({ backup: path, bytes })}\n`);
}

/**
 * The file that the setting `--database` names.
 * @throws StartError with exit code 2 when it is wrong, 1 when it names no file
 */
export function databaseFile(flags: Flags): string {
	const { database } = readSettings(["database"], flags, process.env);
	if (database !== ":memory:") return database;
	throw new StartError("database :memory: is no file; give --database", 1);
}
