import { join } from "node:path";

/**
 * Returns the operations as JSON. This Bun macro runs at build time, so that the client's bundle contains no
 * schemas. The macro returns a string, because the bundler would inline an object at every use. It starts a
 * process, because the operations use macros themselves, and a macro cannot run inside another macro.
 */
export function readCatalogue(): string {
	const script = join(import.meta.dir, "../../scripts/client-catalogue.ts");
	const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script]);
	if (!success) throw new Error(stderr.toString());
	return stdout.toString();
}
