import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq, getTableColumns, sql } from "drizzle-orm";
import { direct, openStore, prepared } from "../../src/store/store.ts";
import { agents, apiKeys } from "../../src/store/tables.ts";
import { insertAgent } from "./rows.ts";

const store = openStore(":memory:");
beforeAll(() => {
	insertAgent(store, "a");
	store.db
		.insert(apiKeys)
		.values({
			keyId: "k",
			agentId: "a",
			secretHash: Buffer.from([1, 2, 3]),
			createdAt: 7,
		})
		.run();
});
afterAll(() => store.close());

const byId = eq(agents.id, sql.placeholder("id"));

const agent = direct(getTableColumns(agents), (db, fields) =>
	db.select(fields).from(agents).where(byId),
);

describe("a direct statement", () => {
	test("gives rows as Drizzle does: lists, numbers, null", () => {
		const mapped = prepared((db) =>
			db.select().from(agents).where(byId).prepare(),
		);
		const row = agent(store).get({ id: "a" });
		expect(row).toEqual(mapped(store).get({ id: "a" }));
		expect(row?.interests).toBeArray();
		expect(row?.deactivatedAt).toBeNull();
	});

	test("gives bytes as Drizzle does, and an expression as SQLite does", () => {
		const key = direct(
			{ secretHash: apiKeys.secretHash, twice: sql<number>`created_at * 2` },
			(db, fields) => db.select(fields).from(apiKeys),
		);
		expect(key(store).get({})).toEqual({
			secretHash: Buffer.from([1, 2, 3]),
			twice: 14,
		});
	});

	test("gives undefined for no row", () => {
		expect(agent(store).get({ id: "b" })).toBeUndefined();
	});

	test("is prepared once for each store", async () => {
		expect(agent(store)).toBe(agent(store));
		const other = openStore(":memory:");
		expect(agent(other).get({ id: "a" })).toBeUndefined();
		await other.close();
	});

	test("wants a value for each placeholder, and nothing but placeholders", () => {
		expect(() => agent(store).get({})).toThrow("no value for id");
		const fixed = direct({ id: agents.id }, (db, fields) =>
			db.select(fields).from(agents).where(eq(agents.id, "a")),
		);
		expect(() => fixed(store)).toThrow("not a placeholder");
	});
});
