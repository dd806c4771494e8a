import { readSettings } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { StartError } from "../lib/start-error.ts";
import { engineOf } from "../store/engines.ts";
import { parseFileCommand } from "./flags.ts";
import { print } from "./print.ts";

/** The flags of `resort backup`. */
export const backupFlags = {
	database: { ...settings.database, help: "database file to copy" },
	config: settings.config,
};

/**
 * `resort backup FILE`: copies the database, also while an instance serves it.
 * @throws StartError with exit code 2 when FILE is `-` or another program does this for the engine, 1 when there is
 * nothing to copy, or FILE is there already or cannot be written
 */
export async function backup(args: readonly string[]): Promise<void> {
	const { file, flags } = parseFileCommand("backup", args, backupFlags);
	if (file === "-") {
		throw new StartError(
			"backup writes a file, not to stdout: FILE must not be -; for a file of that name say ./-",
			2,
		);
	}
	const { database } = readSettings(["database"], flags, process.env);
	const engine = engineOf(database);
	const { path, bytes } = await engine.backUp(database, file, process.env);
	print(`${JSON.stringify({ backup: path, bytes })}\n`);
}
