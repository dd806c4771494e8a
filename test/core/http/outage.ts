import { onPostgres } from "../../support/engine.ts";
import type { TestResort } from "../../support/resort.ts";

/** Matches the cause in the log if the disk is full. */
export const outageCause = onPostgres ? /^PostgresFailure: ./ : /full/;

/** The tables that refuse writes on PostgreSQL while {@link fillDisk} simulates a full disk. */
const tables = ["agents", "leases"];

/** Simulates a full disk: on SQLite for all tables, on PostgreSQL only for the tables in {@link tables}. */
export async function fillDisk(resort: TestResort): Promise<void> {
	if (!onPostgres) {
		resort.sqlite.run("PRAGMA max_page_count = 1");
		return;
	}
	resort.server.isSpoilt = true;
	await resort.rows(
		"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$",
	);
	for (const table of tables) {
		await resort.rows(`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON ${table} EXECUTE FUNCTION refuse()`);
	}
}

/** Ends the outage that {@link fillDisk} has begun. */
export async function emptyDisk(resort: TestResort): Promise<void> {
	if (!onPostgres) {
		resort.sqlite.run("PRAGMA max_page_count = 1000000");
		return;
	}
	for (const table of tables) {
		await resort.rows(`DROP TRIGGER refuse ON ${table}`);
	}
}
