import { readSettings } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { engineOf } from "../store/engines.ts";
import { parseFileCommand } from "./flags.ts";
import { print } from "./print.ts";

/** The flags of `resort restore`. */
export const restoreFlags = {
	database: { ...settings.database, help: "database file to replace" },
	config: settings.config,
};

/**
 * `resort restore FILE`: puts a copy in the place of the database, and keeps the one before it.
 * @throws StartError with exit code 2 when another program does this for the engine, 1 when the copy is no sound one
 * or an instance serves the database; nothing has changed then
 */
export async function restore(args: readonly string[]): Promise<void> {
	const { file, flags } = parseFileCommand("restore", args, restoreFlags);
	const { database } = readSettings(["database"], flags, process.env);
	const engine = engineOf(database);
	const { path, kept } = await engine.restore(database, file, process.env);
	print(`${JSON.stringify({ restored: path, kept })}\n`);
}
