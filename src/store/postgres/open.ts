import type { Environment } from "../../config/sources.ts";
import type { Opened } from "../open.ts";
import { readAddress } from "./address.ts";
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
): Promise<Opened> {
	const address = readAddress(url, environment);
	const opened = await PostgresStore.open(address, connections);
	return { ...opened, warning: null };
}
