import { Database } from "bun:sqlite";
import { describe, expect, setSystemTime, test } from "bun:test";
import { renameSync } from "node:fs";
import { MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { expectRefusal } from "../../../support/answers.ts";
import { onPostgres } from "../../../support/engine.ts";
import { testSqlite } from "../../../support/requirements.ts";
import { drain } from "../../../support/store.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";
import { emptyDisk, fillDisk } from "../../http/outage.ts";

const context = useResort({ onFile: true });
const ada = useGuest(context);

describe("a cached API key", () => {
	testSqlite.test(
		"is refused after another program has deactivated the agent, even in the same millisecond as the last call",
		async () => {
			using other = new Database(context.file ?? "");
			setSystemTime(1_000);
			const write = () => context.call("PATCH", "/api/me", { key: ada.key, body: { bio: "new" } });
			expect((await write()).status).toBe(200);
			other.run("UPDATE agents SET deactivated_at = 1, bio = 'old'");
			expectRefusal(await write(), 401, "Unauthorized");
			expect(other.query("SELECT bio FROM agents").values()).toEqual([["old"]]);
			setSystemTime();
		},
	);
});

describe("lastActive of an agent", () => {
	const file = () => context.file ?? "";
	// On SQLite, a change that fails in a transaction invalidates all caches. While the file is missing, a
	// change fails before its transaction begins.
	const refuseUpdates = async () => (onPostgres ? fillDisk(context) : renameSync(file(), `${file()}.away`));
	const acceptUpdates = async () => (onPostgres ? emptyDisk(context) : renameSync(`${file()}.away`, file()));

	test("is updated by the next call if the last update failed", async () => {
		const call = async () => {
			expect((await context.me(ada)).status).toBe(200);
			await drain(context.context.store);
		};
		await call();
		context.advance(MINUTE_MS);
		await refuseUpdates();
		await call();
		await acceptUpdates();
		await call();
		expect(await context.rows("SELECT last_active FROM agents")).toMatchObject([
			{ last_active: context.nowMs },
		]);
	});
});
