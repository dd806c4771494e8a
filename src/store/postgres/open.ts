import type { Environment } from "../../config/sources.ts";
import type { Store } from "../store.ts";
import { readAddress } from "./address.ts";
import type { Migration } from "./migrate.ts";
import { PostgresStore } from "./store.ts";

/**
 * Opens a PostgreSQL database, and brings it to the newest schema.
 * @param url of the database
 * @throws StartError when it cannot be used
 */
export async function openPostgres(
	url: string,
	connections: number,
	environment: Environment,
): Promise<{ store: Store; migration: Migration | null; warning: null }> {
	const address = readAddress(url, environment);
	const opened = await PostgresStore.open(address, connections);
	return { ...opened, warning: null };
}
