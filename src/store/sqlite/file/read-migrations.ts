import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";

/**
 * The statements of every migration in `migrations/`, oldest first.
 * A Bun macro: it runs when the program is built, so that the executable carries the SQL itself.
 */
export function readMigrations(): string[][] {
	const migrationsFolder = join(import.meta.dir, "../../../../migrations");
	return readMigrationFiles({ migrationsFolder }).map(({ sql }) => sql);
}
