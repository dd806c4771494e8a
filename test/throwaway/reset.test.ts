import { expect, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import * as schema from "../../src/store/tables.ts";
import { TestResort } from "../support/resort.ts";

test("a reset empties every table, those without agents too", async () => {
	const house = new TestResort({ testControls: true });
	await house.guest();
	await house.rows("INSERT INTO nonces VALUES ('n', 1)");
	await house.rows(
		"INSERT INTO events (type, at, agent_id) VALUES ('agent.relaxing', 1, 'a')",
	);
	const rows = async () => {
		const queries = Object.values(schema).map(
			(table) => `SELECT 1 FROM ${getTableName(table)}`,
		);
		const found = await Promise.all(queries.map((query) => house.rows(query)));
		return found.flat();
	};
	expect((await rows()).length).toBeGreaterThanOrEqual(5);
	await house.ask("POST", "/test/reset", {
		headers: { host: "localhost" },
	});
	expect(await rows()).toEqual([]);
	await house.close();
});
