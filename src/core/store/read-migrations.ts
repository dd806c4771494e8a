import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the SQL of every migration in a folder, in the order of the file names. This function is a Bun
 * macro: it runs at build time, and the executable contains its result.
 */
export function readMigrations(folder: string): string[] {
	const path = join(import.meta.dir, "../../..", folder);
	return readdirSync(path)
		.filter((name) => name.endsWith(".sql"))
		.sort()
		.map((name) => readFileSync(join(path, name), "utf8"));
}
