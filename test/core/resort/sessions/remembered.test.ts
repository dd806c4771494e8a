import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { renameSync } from "node:fs";
import { MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { expectRefusal } from "../../../support/answers.ts";
import { useFreshFolder } from "../../../support/folder.ts";
import { testSqlite } from "../../../support/requirements.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";

const folder = useFreshFolder();
const context = useResort(() => ({ database: folder.file() }));
const ada = useGuest(context);
let other: Database;

beforeEach(() => {
	other = new Database(folder.file());
});
afterEach(() => {
	setSystemTime();
	other.close();
});

describe.skipIf(testSqlite.isMissing)(`a cached API key${testSqlite.note}`, () => {
	test("is refused after another program has deactivated its agent in the same millisecond", async () => {
		setSystemTime(1_000);
		const write = () => context.call("PATCH", "/api/me", { key: ada.key, body: { bio: "new" } });
		expect((await write()).status).toBe(200);
		other.run("UPDATE agents SET deactivated_at = 1, bio = 'old'");
		expectRefusal(await write(), 401, "Unauthorized");
		expect(other.query("SELECT bio FROM agents").values()).toEqual([["old"]]);
	});
});

test.skipIf(testSqlite.isMissing)(
	`lastActive is updated by the next request after a write has failed${testSqlite.note}`,
	async () => {
		const heard = () => other.query("SELECT last_active FROM agents").values()[0]?.[0];
		await context.me(ada);
		const before = heard();
		context.advance(60_000);
		// Uses the resort's own connection, because a change by another program would invalidate all caches.
		const { sqlite } = context;
		sqlite.run("CREATE TRIGGER full BEFORE UPDATE ON agents BEGIN SELECT RAISE(ABORT, 'full'); END");
		expect((await context.me(ada)).status).toBe(200);
		expect(heard()).toBe(before);
		sqlite.run("DROP TRIGGER full");
		// The clock has not advanced, so this call updates `lastActive` only if the failed write is repeated.
		expect((await context.me(ada)).status).toBe(200);
		expect(heard()).toBe(context.nowMs);
	},
);

test.skipIf(testSqlite.isMissing)(
	`lastActive is updated after two concurrent writes have failed and the clock was set back${testSqlite.note}`,
	async () => {
		const database = folder.file();
		const ask = () => context.me(ada);
		context.advance(10 * MINUTE_MS);
		renameSync(database, `${database}.away`);
		const first = ask();
		context.advance(2 * MINUTE_MS);
		await Promise.all([first, ask()]);
		renameSync(`${database}.away`, database);
		context.advance(-2 * MINUTE_MS);
		expect((await ask()).status).toBe(200);
		expect(other.query("SELECT last_active FROM agents").values()[0]?.[0]).toBe(context.nowMs);
	},
);
