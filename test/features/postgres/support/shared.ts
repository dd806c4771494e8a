import { once } from "../../../../src/core/lib/once.ts";
import { QUICK, startCluster } from "./cluster.ts";
import { createDatabase } from "./databases.ts";
import { openPostgres } from "./lazy-store.ts";

/**
 * The cluster of all tests of this program that neither stop nor change it. It ends when this program does.
 */
const cluster = once(() => startCluster({ settings: QUICK }));

const template = once(async () => {
	const url = await createDatabase((await cluster()).url);
	await (await openPostgres(url)).close();
	return url;
});

/** Creates a database in a cluster, which is started when it is first used. */
export async function newDatabase({ withTables = false } = {}): Promise<string> {
	const { url } = await cluster();
	return createDatabase(url, withTables ? { template: await template() } : {});
}

/** The port of the server of an address. */
export function portOf(url: string): number {
	return Number(new URL(url).port);
}
