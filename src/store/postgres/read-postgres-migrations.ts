import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the SQL of every migration in `migrations-postgres/`, in the order of their names. A Bun macro: the executable
 * contains the result.
 */
export function readMigrations(): string[] {
	const folder = join(import.meta.dir, "../../../migrations-postgres");
	return readdirSync(folder)
		.filter((name) => name.endsWith(".sql"))
		.sort()
		.map((name) => readFileSync(join(folder, name), "utf8"));
}
