import { afterAll } from "bun:test";
import { QUICK, startCluster } from "./cluster.ts";
import { createDatabase } from "./databases.ts";
import type { Server } from "./server.ts";

/** PostgreSQL itself gives its children 5 s to end. */
const STOP_MS = 30_000;

/**
 * Clusters for the tests of one file: each is started at its first use, and all are stopped after the last test.
 * @returns gives the address of a new, empty database of a version
 */
export function sharedClusters(): (version: number) => Promise<string> {
	const clusters = new Map<number, Promise<Server>>();
	afterAll(async () => {
		const started = await Promise.all(clusters.values());
		await Promise.all(started.map((cluster) => cluster.stop()));
	}, STOP_MS);
	return async (version) => {
		let cluster = clusters.get(version);
		if (cluster === undefined) {
			cluster = startCluster({ version, settings: QUICK });
			clusters.set(version, cluster);
		}
		return createDatabase((await cluster).url);
	};
}
