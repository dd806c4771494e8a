import { afterAll } from "bun:test";
import { once } from "../../../src/lib/once.ts";
import { QUICK, startCluster } from "./cluster.ts";
import { createDatabase } from "./databases.ts";
import { openPostgres } from "./lazy-store.ts";
import type { Server } from "./server.ts";

/** PostgreSQL itself gives its children 5 s to end. */
const STOP_MS = 30_000;

/**
 * A cluster for the tests of one file: it is started at its first use, and stopped after the last test.
 * @returns gives the address of a new database: empty, or with the tables of the newest schema
 */
export function sharedCluster() {
	let started: Server | undefined;
	const start = once(async () => {
		started = await startCluster({ settings: QUICK });
		return started;
	});
	afterAll(() => started?.stop(), STOP_MS);
	const template = once(async () => {
		const url = await createDatabase((await start()).url);
		await (await openPostgres(url)).close();
		return url;
	});
	return async ({ withTables = false } = {}): Promise<string> => {
		const { url } = await start();
		return createDatabase(
			url,
			withTables ? { template: await template() } : {},
		);
	};
}
