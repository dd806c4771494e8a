import { afterAll } from "bun:test";
import { type Cluster, QUICK, startCluster } from "./cluster.ts";
import { createDatabase } from "./databases.ts";

/**
 * Clusters for the tests of one file: each is started at its first use, and all are stopped after the last test.
 * @returns gives the address of a new, empty database of a version
 */
export function sharedClusters(): (version: number) => Promise<string> {
	const clusters = new Map<number, Promise<Cluster>>();
	afterAll(async () => {
		for (const cluster of clusters.values()) await (await cluster).stop();
	});
	return async (version) => {
		let cluster = clusters.get(version);
		if (cluster === undefined) {
			cluster = startCluster({ version, settings: QUICK });
			clusters.set(version, cluster);
		}
		return createDatabase((await cluster).url);
	};
}
