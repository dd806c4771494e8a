import { join } from "node:path";

/**
 * Returns the operations as JSON, at build time (a Bun macro), so that the client's bundle contains no
 * schemas. As a string, because the bundler would inline an object at every use. By a process of its own,
 * because the operations use macros, which cannot run inside another one.
 */
export function readCatalogue(): string {
	const script = join(import.meta.dir, "../../scripts/client-catalogue.ts");
	const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script]);
	if (!success) throw new Error(stderr.toString());
	return stdout.toString();
}
