import { join } from "node:path";

/**
 * Returns the operations as JSON; a macro that returned objects would inline them wherever they are used.
 * A Bun macro: it runs at build time, so that the client contains no schemas. It starts another process, because the
 * operations use macros, which do not run in a macro.
 */
export function readCatalogue(): string {
	const script = join(import.meta.dir, "../../scripts/client-catalogue.ts");
	const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script]);
	if (!success) throw new Error(stderr.toString());
	return stdout.toString();
}
