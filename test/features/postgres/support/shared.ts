import { once } from "../../../../src/core/lib/once.ts";
import { QUICK, startCluster } from "./cluster.ts";
import { createDatabase } from "./databases.ts";
import { openPostgres } from "./lazy-store.ts";

/** The cluster of all tests of this process that neither stop nor change it. It ends with the process. */
const cluster = once(() => startCluster({ settings: QUICK }));

const template = once(async () => {
	const url = await createDatabase((await cluster()).url);
	await (await openPostgres(url)).close();
	return url;
});

/** Creates a database in the shared cluster. The first call starts the cluster. */
export async function newDatabase({ withTables = false } = {}): Promise<string> {
	const { url } = await cluster();
	return createDatabase(url, withTables ? { template: await template() } : {});
}

/** Returns the port in the address of a database. */
export function portOf(url: string): number {
	return Number(new URL(url).port);
}
