import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { migrations } from "../../src/store/sqlite/sqlite-migrations.ts";
import { makeDatabaseOf } from "../store/older.ts";
import { useFreshFolder } from "../support/program-folder.ts";

const FROM = migrations.length - 1;

const folder = useFreshFolder();

test("serve logs what it migrated and where the copy is, once", async () => {
	makeDatabaseOf(FROM, folder.file());
	for (const told of [1, 0]) {
		const resort = await folder.serve(["--port", "0"]);
		const lines = (await resort.stop()).stderr.trimEnd().split("\n");
		const migrated = lines
			.map((line) => JSON.parse(line))
			.filter(({ message }) => message === "database migrated");
		expect(migrated).toHaveLength(told);
		if (told === 0) continue;
		expect(migrated[0]).toMatchObject({
			level: "INFO",
			from: FROM,
			to: migrations.length,
			copy: folder.file(`resort.sqlite.v${FROM}.bak`),
		});
	}
});

test("a database that is made logs no migration", async () => {
	const resort = await folder.serve(["--port", "0"]);
	expect((await resort.stop()).stderr).not.toContain("migrated");
});

// A quota of the shell stands for a full disk: a file may grow to so many blocks of 512 or 1024 bytes.
test("without room for the copy it says so, leaves nothing behind and the database as it was", async () => {
	makeDatabaseOf(FROM, folder.file());
	const sqlite = new Database(folder.file());
	sqlite.run(
		"INSERT INTO agents (id, name, bio, relaxation_style, comfort_objects, interests, created_at) VALUES ('a', 'Ada', zeroblob(8000000), '[]', '[]', '[]', 1)",
	);
	sqlite.close();
	await folder.refuse(
		["--port", "0"],
		/copied before it is migrated.* takes up to 8 MiB/,
		1,
		{
			before: ["/bin/sh", "-c", 'trap "" XFSZ; ulimit -f 4000; exec "$0" "$@"'],
		},
	);
	expect(readdirSync(folder.path).join()).not.toMatch(/bak|tmp/);
	const after = new Database(folder.file(), { readonly: true });
	expect(after.query("PRAGMA user_version").values()).toEqual([[FROM]]);
	after.close();
});
