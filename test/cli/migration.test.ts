import { expect, test } from "bun:test";
import { migrations } from "../../src/core/store/sqlite/sqlite-migrations.ts";
import { linesOf } from "../core/server/log-of.ts";
import { makeDatabaseOf } from "../core/store/older.ts";
import { useFreshFolder } from "../support/folder.ts";

const FROM = migrations.length - 1;

const folder = useFreshFolder();

test("serve logs a migration once, with the path of the copy", async () => {
	makeDatabaseOf(FROM, folder.file());
	for (const told of [1, 0]) {
		const resort = await folder.serve(["--port", "0"]);
		const { stderr } = await resort.stop();
		const migrated = linesOf(stderr, "database migrated");
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
