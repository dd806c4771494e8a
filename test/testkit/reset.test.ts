import { expect, spyOn, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import * as schema from "../../src/store/tables.ts";
import { TestResort } from "../support/resort.ts";
import { until } from "../support/until.ts";

test("a reset empties every table, those without agents too", async () => {
	const context = new TestResort({ testControls: true });
	await context.guest();
	await context.rows("INSERT INTO nonces VALUES ('n', 1)");
	await context.rows(
		"INSERT INTO events (type, at, agent_id) VALUES ('agent.relaxing', 1, 'a')",
	);
	const rows = async () => {
		const queries = Object.values(schema).map(
			(table) => `SELECT 1 FROM ${getTableName(table)}`,
		);
		const found = await Promise.all(
			queries.map((query) => context.rows(query)),
		);
		return found.flat();
	};
	expect((await rows()).length).toBeGreaterThanOrEqual(5);
	await context.ask("POST", "/test/reset", {
		headers: { host: "localhost" },
	});
	expect(await rows()).toEqual([]);
	await context.close();
});

test("a call whose delay ends while a reset waits for its commit is dropped", async () => {
	const context = new TestResort({ testControls: true });
	const headers = { host: "localhost" };
	await context.ask("POST", "/test/faults", {
		body: { operation: "registerAgent", delayMs: 500 },
		headers,
	});
	const held = context.fetch(
		new Request("http://resort.test/api/agents", {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ name: "Late" }),
		}),
	);
	await until(async () => {
		const { body } = await context.ask("GET", "/test/faults", { headers });
		return body.faults.length === 0;
	});
	const { store } = context.context;
	const change = store.write.bind(store);
	const slow = spyOn(store, "write").mockImplementationOnce(async (task) => {
		const changing = change(task);
		await Bun.sleep(600);
		return changing;
	});
	await context.ask("POST", "/test/reset", { headers });
	slow.mockRestore();
	expect((await held).status).toBe(444);
	expect(await context.rows("SELECT 1 FROM agents")).toEqual([]);
	await context.close();
});
