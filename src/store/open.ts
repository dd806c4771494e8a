import { isPostgres } from "../config/postgres/url.ts";
import type { Environment } from "../config/sources.ts";
import { openStore } from "./sqlite/store.ts";
import type { Opened } from "./store.ts";

/** What an engine is opened with. */
export interface Opening {
	/** The value of `--database`: a file, `:memory:`, or the URL of a PostgreSQL database. */
	readonly database: string;
	/** How many connections an engine with a server may open. */
	readonly connections: number;
	/** Where passwords are found that are not in the URL. */
	readonly environment: Environment;
}

/**
 * Opens a database with the engine that its name tells.
 * @throws StartError when it cannot be used
 */
export async function openDatabase({
	database,
	connections,
	environment,
}: Opening): Promise<Opened> {
	if (isPostgres(database)) {
		// Loaded only when it is asked for.
		const { openPostgres } = await import("./postgres/open.ts");
		return openPostgres(database, connections, environment);
	}
	const store = openStore(database);
	const warning = store.isAlone
		? "the disk is full: writes fail until there is room, and no other program can read the database until the next start"
		: null;
	return { store, migration: store.migration, warning };
}
