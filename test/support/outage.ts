import { onPostgres } from "./engine.ts";
import type { TestResort } from "./resort.ts";

/** What the log says of a disk that is full. */
export const outageCause = onPostgres ? /^PostgresFailure: ./ : /full/;

/** Lets the disk be full: on SQLite for all changes, on PostgreSQL for those of agents. */
export async function fillDisk(resort: TestResort): Promise<void> {
	if (!onPostgres) {
		resort.sqlite.run("PRAGMA max_page_count = 1");
		return;
	}
	resort.server.isSpoilt = true;
	await resort.rows(
		"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$",
	);
	await resort.rows(
		"CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON agents EXECUTE FUNCTION refuse()",
	);
}

/** Ends what {@link fillDisk} has begun. */
export async function emptyDisk(resort: TestResort): Promise<void> {
	if (onPostgres) await resort.rows("DROP TRIGGER refuse ON agents");
	else resort.sqlite.run("PRAGMA max_page_count = 1000000");
}
