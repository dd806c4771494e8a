/**
 * Creates the databases of the benchmark, and keeps them in a temporary folder for later runs. The name of a
 * file contains a hash of everything that determines the contents of the file.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findOrphans } from "../src/core/store/sqlite/open-database.ts";
import { migrations } from "../src/core/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../src/core/store/sqlite/sqlite-store.ts";
import { fill, type Size } from "./rows.ts";

const cache = join(tmpdir(), "agent-resort-bench");

/** Returns the sizes for a number of agents. With 500 guests, concurrent calls rarely meet at one of them. */
const community = (agents: number): Size => ({
	agents,
	stays: agents * 3,
	log: Math.min(agents * 10, 1_000_000),
	guests: 500,
	experiences: 200,
	votes: 5_000,
	postcards: 2_000,
});

/** The sizes that are measured. */
export const sizes = {
	thousand: community(1_000),
	tenThousand: community(10_000),
	usual: community(100_000),
	million: { ...community(1_000_000), experiences: 10_000, votes: 200_000, postcards: 100_000 },
} as const satisfies Readonly<Record<string, Size>>;

/**
 * Finds or creates a database of this size. Creating one with a million agents takes up to a minute.
 * @returns the path of the file; copy the file before a server writes to it
 */
export async function generate(size: Size): Promise<string> {
	mkdirSync(cache, { recursive: true });
	const path = join(cache, `${size.agents}-${fingerprint(size)}.sqlite`);
	if (existsSync(path)) return path;
	process.stdout.write(`making a database: ${JSON.stringify(size)}\n`);
	const unfinished = `${path}.${process.pid}.tmp`;
	const store = openStore(unfinished);
	// Durability is unnecessary, because an unfinished file is never used.
	store.sqlite.run("PRAGMA synchronous = OFF");
	// The references of all rows are checked at the end.
	store.sqlite.run("PRAGMA foreign_keys = OFF");
	store.sqlite.transaction(() => fill(store.sqlite, size))();
	if (findOrphans(store.sqlite) !== null) throw new Error("orphans were made");
	await store.close();
	for (const rest of ["-lock", "-wal", "-shm"]) {
		rmSync(unfinished + rest, { force: true });
	}
	renameSync(unfinished, path);
	return path;
}

/**
 * Returns a hash of everything that determines a database: the size, the schema, and the code that creates
 * rows and keys.
 */
function fingerprint(size: Size): string {
	const hash = createHash("sha256").update(JSON.stringify([size, migrations]));
	for (const file of ["rows.ts", "guests.ts"]) hash.update(readFileSync(join(import.meta.dir, file)));
	return hash.digest("hex").slice(0, 12);
}
