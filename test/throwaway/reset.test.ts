import { expect, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import * as schema from "../../src/store/tables.ts";
import { TestResort } from "../support/resort.ts";

test("a reset empties every table, those without agents too", async () => {
	const house = new TestResort({ testControls: true });
	const { sqlite } = house;
	await house.guest();
	sqlite.run("INSERT INTO nonces VALUES ('n', 1)");
	sqlite.run(
		"INSERT INTO events (type, at, agent_id) VALUES ('agent.relaxing', 1, 'a')",
	);
	const rows = () =>
		Object.values(schema)
			.map((table) => `SELECT 1 FROM ${getTableName(table)}`)
			.flatMap((query) => sqlite.query(query).all());
	expect(rows().length).toBeGreaterThanOrEqual(5);
	await house.ask("POST", "/test/reset", {
		headers: { host: "localhost" },
	});
	expect(rows()).toEqual([]);
	await house.close();
});
