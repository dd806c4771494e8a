import { readSettings } from "../config/config.ts";
import { settings } from "../config/settings.ts";
import { engineOf } from "../store/engines.ts";
import { printJson } from "./print.ts";
import type { Command } from "./resort-command.ts";

/** `resort restore` */
export const restore: Command = {
	summary: "Replace the database with a backup",
	about: `Checks FILE and puts a copy of it in the place of the database, which no instance may serve.
The previous database is kept beside it as .before-restore-TIME.bak.
Prints one line of JSON on stdout: restored (the path) and kept (the path, or null if there was no database).
For a postgres:// database, use pg_restore; the error shows the command.`,
	words: "FILE",
	flags: {
		database: { ...settings.database, help: "database file to replace" },
		config: settings.config,
	},
	async run({ words: [file = ""], flags }) {
		const { database } = readSettings(["database"], flags, process.env);
		const engine = engineOf(database);
		const { path, kept } = await engine.restore(database, file, process.env);
		printJson({ restored: path, kept });
	},
};
