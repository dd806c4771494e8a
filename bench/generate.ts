/**
 * Creates the databases of the benchmark, and keeps them in a temporary folder for the next run. Their names
 * depend on their contents. `bun bench/generate.ts --agents 1000000` makes one beforehand.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findOrphans } from "../src/core/store/sqlite/open-database.ts";
import { migrations } from "../src/core/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../src/core/store/sqlite/sqlite-store.ts";
import { readOptions, type Size } from "./options.ts";
import { fill } from "./rows.ts";

/** A database that was made, with what the load generator reads. */
export interface Generated {
	/** The path of the database; it is copied before a server gets it. */
	readonly database: string;
	/** The path of the ids of all agents, one a line, 37 bytes each. */
	readonly ids: string;
	/** The path of the guests: id, a space and the key, one a line. */
	readonly guests: string;
	readonly size: Size;
}

/** The databases that this run has printed already. */
const printed = new Set<string>();

const cache = join(tmpdir(), "agent-resort-bench");

/** Finds a database of this size and seed, or makes it, which takes up to a minute for a million agents. */
export async function generate(size: Size, seed: number): Promise<Generated> {
	mkdirSync(cache, { recursive: true });
	const name = `${size.agents}-agents-seed-${seed}-${fingerprint(size, seed)}`;
	const path = join(cache, name);
	const made: Generated = { database: `${path}.sqlite`, ids: `${path}.ids`, guests: `${path}.guests`, size };
	const print = (when: string) =>
		process.stdout.write(`database: seed ${seed}, ${JSON.stringify(size)}, made ${when}\n`);
	if (existsSync(made.database)) {
		if (!printed.has(path)) print("before");
		printed.add(path);
		return made;
	}
	const startedAt = performance.now();
	const unfinished = `${path}.${process.pid}.tmp`;
	const store = openStore(unfinished);
	// It is thrown away when this is cut off, so nothing has to be safe.
	store.sqlite.run("PRAGMA synchronous = OFF");
	// References are checked once, over all rows.
	store.sqlite.run("PRAGMA foreign_keys = OFF");
	const guests = store.sqlite.transaction(() => fill(store.sqlite, size, seed))();
	if (findOrphans(store.sqlite) !== null) throw new Error("orphans were made");
	const ids = store.sqlite.query<[string], []>("SELECT id FROM agents ORDER BY seq").values();
	await store.close();
	await Bun.write(made.ids, `${ids.join("\n")}\n`);
	await Bun.write(made.guests, guests.map(({ id, apiKey }) => `${id} ${apiKey}\n`).join(""));
	for (const rest of ["-lock", "-wal", "-shm"]) {
		rmSync(unfinished + rest, { force: true });
	}
	renameSync(unfinished, made.database);
	const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
	printed.add(path);
	print(`in ${seconds} s`);
	return made;
}

/** What a file depends on: the sizes, the seed, the schema and how rows are made. */
function fingerprint(size: Size, seed: number): string {
	return createHash("sha256")
		.update(JSON.stringify([size, seed, migrations]))
		.update(readFileSync(join(import.meta.dir, "rows.ts")))
		.digest("hex")
		.slice(0, 12);
}

if (import.meta.main) {
	const { main, seed } = readOptions(process.argv.slice(2));
	process.stdout.write(`${(await generate(main, seed)).database}\n`);
}
