import { afterAll } from "bun:test";
import { once } from "../../../src/lib/once.ts";
import { QUICK, startCluster } from "./cluster.ts";
import { createDatabase } from "./databases.ts";
import type { Server } from "./server.ts";

/** PostgreSQL itself gives its children 5 s to end. */
const STOP_MS = 30_000;

/**
 * A cluster for the tests of one file: it is started at its first use, and stopped after the last test.
 * @returns gives the address of a new, empty database
 */
export function sharedCluster(): () => Promise<string> {
	let started: Server | undefined;
	const start = once(async () => {
		started = await startCluster({ settings: QUICK });
		return started;
	});
	afterAll(() => started?.stop(), STOP_MS);
	return async () => createDatabase((await start()).url);
}
