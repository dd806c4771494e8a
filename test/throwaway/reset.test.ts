import { expect, spyOn, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import * as schema from "../../src/store/tables.ts";
import { TestResort } from "../support/resort.ts";
import { until } from "../support/until.ts";

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

test("a call whose delay ends while a reset waits for its commit is dropped", async () => {
	const house = new TestResort({ testControls: true });
	const headers = { host: "localhost" };
	await house.ask("POST", "/test/faults", {
		body: { operation: "registerAgent", delayMs: 500 },
		headers,
	});
	const held = house.fetch(
		new Request("http://resort.test/api/agents", {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ name: "Late" }),
		}),
	);
	await until(async () => {
		const { body } = await house.ask("GET", "/test/faults", { headers });
		return body.faults.length === 0;
	});
	const { store } = house.resort;
	const change = store.change.bind(store);
	const slow = spyOn(store, "change").mockImplementationOnce(async (rule) => {
		const changing = change(rule);
		await Bun.sleep(600);
		return changing;
	});
	await house.ask("POST", "/test/reset", { headers });
	slow.mockRestore();
	expect((await held).status).toBe(444);
	expect(await house.rows("SELECT 1 FROM agents")).toEqual([]);
	await house.close();
});
