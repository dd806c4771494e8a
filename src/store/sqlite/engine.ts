import { statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../lib/error-reason.ts";
import { StartError } from "../../lib/start-error.ts";
import type { Engine } from "../engine.ts";

/** What a password may stand in: it is the URL of some server, mistyped. */
const MISTYPED_URL =
	/^postgres\w*:|^[a-z][\w+.-]+:\/|:.*@|password=|^\w+:\w+:/i;

/** What was meant to be the URL of a PostgreSQL database. */
const MISSPELT = /^p\w*:\/\/|\bpassword=|^\w+:\w+:/i;

/** SQLite: a database is a file, or in memory. What works with them is loaded when it is first asked for. */
export const sqlite: Engine = {
	name: "SQLite",
	databases: "a file in a folder that exists, :memory:",
	hasServer: false,
	backUpEnding: ".sqlite",
	ownCopy: "for a copy of a database file use resort backup",
	isNamedBy: (database) => database === ":memory:",
	accepts(database) {
		return (
			database === ":memory:" ||
			(database !== "" &&
				!MISSPELT.test(database) &&
				isFolder(dirname(database)))
		);
	},
	faultOf: (database) =>
		MISSPELT.test(database) ? "must begin with postgres://" : null,
	shown: (database) => (MISTYPED_URL.test(database) ? "(hidden)" : database),
	async open({ database, isAdministration = false }) {
		const { openStore } = await import("./store.ts");
		const store = openStore(
			database,
			isAdministration ? "administer" : "serve",
		);
		const warning = store.isAlone
			? "the disk is full: writes fail until there is room, and no other program can read the database until the next start"
			: null;
		return { store, migration: store.migration, warning };
	},
	async examine({ database }) {
		const { examinePlace } = await import("./file/examine-place.ts");
		return examinePlace(database);
	},
	async backUp(database, file, _environment, signal) {
		const { backUp } = await import("./file/copy.ts");
		return backUp(fileOf(database), file, signal);
	},
	async backUpNameless(database, folder, _environment, signal) {
		const { backUpNameless } = await import("./file/copy.ts");
		return backUpNameless(fileOf(database), folder, signal);
	},
	async restore(database, file) {
		const { restore } = await import("./file/restore.ts");
		return restore(file, fileOf(database), Date.now());
	},
	async openSource(database) {
		const { SqliteSource } = await import("./copy/source.ts");
		return SqliteSource.open(database);
	},
	async openTarget(database) {
		const { SqliteTarget } = await import("./copy/target.ts");
		return SqliteTarget.open(database);
	},
};

/** @throws StartError when the database is in memory */
function fileOf(database: string): string {
	if (database !== ":memory:") return database;
	throw new StartError("database :memory: is no file; give --database", 1);
}

/** A folder that this user may not look at counts as one: opening the file will tell why it fails. */
function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch (error) {
		return codeOf(error) === "EACCES";
	}
}
