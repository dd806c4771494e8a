import { statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../lib/error-reason.ts";
import { StartError } from "../../lib/start-error.ts";
import { type Engine, shownUrl } from "../engine.ts";
import { readCell } from "./open-database.ts";

/** Matches values of `--database` that are probably a URL, not the path of a file. */
const URL_LIKE = /^(sqlite\d?|file):|^[a-z][\w+.-]+:\/|:.*@|password=|^\w+:\w+:/i;

/** SQLite. A database is a file or in memory. The modules of the engine are loaded on demand. */
export const sqlite: Engine<unknown> = {
	name: "SQLite",
	databases: "a file in a folder that exists, :memory:",
	forms: ["file (created if it does not exist)", ":memory: (keeps nothing)"],
	hasServer: false,
	backUpEnding: ".sqlite",
	isNamedBy: (database) => database === ":memory:",
	faultOf(database) {
		if (database === ":memory:") return null;
		if (URL_LIKE.test(database)) return "must be a file path without sqlite:// or file:";
		const isName = database !== "" && !database.includes("\0");
		return isName && isFolder(dirname(database)) ? null : "";
	},
	shown: (database) => (URL_LIKE.test(database) ? shownUrl(database) : database),
	async open({ database, isAdministration = false }) {
		const { openStore } = await import("./sqlite-store.ts");
		const store = openStore(database, isAdministration ? "administer" : "serve");
		const alone =
			"the disk is full: writes fail until there is space, and no other program can read the database until the next start";
		const { migration, sqlite } = store;
		if (isAdministration || (await store.isHealthy())) return { store, migration, warning: null };
		const isAlone = readCell(sqlite, "PRAGMA locking_mode") === "exclusive";
		return { store, migration, warning: isAlone ? alone : "writes fail: the disk may be full" };
	},
	async examine({ database, maxBytes }) {
		const { examineFile } = await import("./examine-file.ts");
		return examineFile(database, maxBytes);
	},
	async backUp(from, file) {
		const { backUp } = await import("./backups.ts");
		return backUp({ ...from, database: fileOf(from.database) }, file);
	},
	async restore({ database }, file) {
		const { restore } = await import("./backups.ts");
		return restore(file, fileOf(database));
	},
};

/** @throws StartError if the database is in memory */
function fileOf(database: string): string {
	if (database !== ":memory:") return database;
	throw new StartError("database :memory: is not a file; set --database");
}

/** Whether a path is a folder. True if access is denied: opening the database later reports that error. */
function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch (error) {
		return codeOf(error) === "EACCES";
	}
}
