/** Does the same as a short run of `npm run torture -- admin`. PostgreSQL is tested with two instances. */
import { expect, test } from "bun:test";
import { testServer } from "../../support/engine.ts";
import { useFreshFolder } from "../../support/folder.ts";
import { administer } from "../../torture/admin.ts";
import { createDatabase, dropDatabase } from "../postgres/support/databases.ts";

const PRESSURE = { commands: 10, hosts: 1, writers: 4, pauseMs: 40 };

const folder = useFreshFolder();

test("while `resort admin` and agents change a database concurrently, no change is lost, refused or seen late", async () => {
	const database = testServer && (await createDatabase(testServer));
	const { signal: stop } = new AbortController();
	try {
		const stage =
			database === undefined ? { database: folder.file(), instances: 1 } : { database, instances: 2 };
		const { failures } = await administer({ ...stage, seed: 1, stop }, PRESSURE);
		expect(failures).toEqual([]);
	} finally {
		if (database !== undefined) await dropDatabase(database);
	}
}, 240_000);
