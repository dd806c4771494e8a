import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
	generateSQLiteDrizzleJson,
	generateSQLiteMigration,
} from "drizzle-kit/api";
import * as schema from "../../src/store/tables.ts";

test("the migrations make the tables as they are declared", async () => {
	const folder = join(import.meta.dir, "../../migrations/meta");
	const newest = readdirSync(folder)
		.filter((name) => name.endsWith("_snapshot.json"))
		.sort()
		.at(-1);
	const snapshot = await Bun.file(join(folder, `${newest}`)).json();
	const declared = await generateSQLiteDrizzleJson(
		schema,
		snapshot.id,
		"snake_case",
	);
	expect(await generateSQLiteMigration(snapshot, declared)).toEqual([]);
});
