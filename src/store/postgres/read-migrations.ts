import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The SQL of every migration in `migrations-postgres/`, oldest first: their names are their order.
 * A Bun macro: it runs when the program is built, so that the executable carries the SQL itself.
 */
export function readMigrations(): string[] {
	const folder = join(import.meta.dir, "../../../migrations-postgres");
	return readdirSync(folder)
		.filter((name) => name.endsWith(".sql"))
		.sort()
		.map((name) => readFileSync(join(folder, name), "utf8"));
}
