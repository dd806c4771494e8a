import { afterAll, expect, test } from "bun:test";
import { copiedTables } from "../../../src/store/copy/copied-tables.ts";
import { openStore } from "../../../src/store/sqlite/sqlite-store.ts";

const store = openStore(":memory:");
afterAll(() => store.close());
const { sqlite } = store;
const names = sqlite
	.query<unknown, []>(
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
	)
	.values()
	.flat()
	.map(String)
	// Of instances that serve.
	.filter((name) => name !== "leases");

/** The types whose values are checked and written. */
const types = ["integer", "text", "blob"];

test("every table that the migrations make is copied", () => {
	expect(copiedTables.map(({ name }) => name).toSorted()).toEqual(names);
	expect(names.length).toBeGreaterThan(10);
});

test.each(names)(
	"%s: every column that is not generated is copied",
	(table) => {
		const found = sqlite
			.query<{ name: string; type: string; pk: number; hidden: number }, []>(
				`PRAGMA table_xinfo("${table}")`,
			)
			.all();
		const copied = copiedTables.find(({ name }) => name === table);
		const sorted = (list: readonly unknown[] = []) =>
			list.map((one) => JSON.stringify(one)).toSorted();
		expect(sorted(copied?.columns)).toEqual(
			sorted(
				found
					.filter(({ hidden }) => hidden === 0)
					.map(({ name, type }) => ({ name, type: type.toLowerCase() })),
			),
		);
		for (const { type } of copied?.columns ?? []) expect(types).toContain(type);
		expect(sorted(copied?.key)).toEqual(
			sorted(found.filter(({ pk }) => pk > 0).map(({ name }) => name)),
		);
	},
);

test("a table comes after those that it refers to", () => {
	const order = copiedTables.map(({ name }) => name);
	let references = 0;
	for (const table of names) {
		const parents = sqlite
			.query<{ table: string }, []>(`PRAGMA foreign_key_list("${table}")`)
			.all();
		for (const parent of parents) {
			expect(order.indexOf(parent.table)).toBeLessThan(order.indexOf(table));
			references++;
		}
	}
	expect(references).toBeGreaterThan(10);
});
