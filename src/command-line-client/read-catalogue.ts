import { join } from "node:path";

/**
 * Returns the operations as JSON. A Bun macro: it runs at build time, so that the client contains no schemas. The result
 * is a text, because objects would be inlined wherever they are used. It starts another process, because the operations
 * use macros themselves, which do not run inside a macro.
 */
export function readCatalogue(): string {
	const script = join(import.meta.dir, "../../scripts/client-catalogue.ts");
	const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script]);
	if (!success) throw new Error(stderr.toString());
	return stdout.toString();
}
