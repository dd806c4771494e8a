/**
 * Creates the databases of the benchmark, and keeps them in a temporary folder for the next run. Their names
 * depend on their contents.
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

/** What a community of so many agents has. Enough guests are checked in that few requests meet at one of them. */
const community = (agents: number): Size => ({
	agents,
	stays: agents * 3,
	log: Math.min(agents * 10, 1_000_000),
	guests: 500,
	experiences: 200,
	votes: 5_000,
	postcards: 2_000,
});

/** The communities that are measured. */
export const sizes = {
	thousand: community(1_000),
	tenThousand: community(10_000),
	usual: community(100_000),
	million: { ...community(1_000_000), experiences: 10_000, votes: 200_000, postcards: 100_000 },
} as const satisfies Readonly<Record<string, Size>>;

/**
 * Finds a database of this size, or makes it, which takes up to a minute for a million agents.
 * @returns its path; it is copied before a server gets it
 */
export async function generate(size: Size): Promise<string> {
	mkdirSync(cache, { recursive: true });
	const path = join(cache, `${size.agents}-${fingerprint(size)}.sqlite`);
	if (existsSync(path)) return path;
	process.stdout.write(`making a database: ${JSON.stringify(size)}\n`);
	const unfinished = `${path}.${process.pid}.tmp`;
	const store = openStore(unfinished);
	// It is thrown away when this is cut off, so nothing has to be safe.
	store.sqlite.run("PRAGMA synchronous = OFF");
	// References are checked once, over all rows.
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

/** What a file depends on: the sizes, the schema, and how rows and keys are made. */
function fingerprint(size: Size): string {
	const hash = createHash("sha256").update(JSON.stringify([size, migrations]));
	for (const file of ["rows.ts", "guests.ts"]) hash.update(readFileSync(join(import.meta.dir, file)));
	return hash.digest("hex").slice(0, 12);
}
