import { join } from "node:path";

/**
 * The operations as the client knows them, as JSON: a list would stand in the program wherever it is used.
 * A Bun macro: it runs when the program is built, so that the client carries no schemas. It asks another process,
 * because the operations have macros of their own, and those do not run in a macro.
 */
export function readCatalogue(): string {
	const script = join(import.meta.dir, "../../scripts/client-catalogue.ts");
	const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script]);
	if (!success) throw new Error(stderr.toString());
	return stdout.toString();
}
