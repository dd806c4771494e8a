import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq, getTableColumns, sql } from "drizzle-orm";
import { assignments, query, requireRow } from "../../src/store/query.ts";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";
import { insertInto } from "../../src/store/table-queries.ts";
import { agents, apiKeys } from "../../src/store/tables.ts";
import { type QueryResult, runSync } from "../../src/store/task.ts";
import { dbOf } from "../support/store.ts";
import { insertAgent } from "./rows.ts";

const store = openStore(":memory:");
beforeAll(() => {
	insertAgent(store, "a");
	asked(
		insertKey(store).run({
			keyId: "k",
			agentId: "a",
			secretHash: Buffer.from([1, 2, 3]),
			createdAt: 7,
		}),
	);
});
afterAll(() => store.close());

/** An answer, at once. */
function asked<T>(answer: QueryResult<T>): T {
	return runSync(
		(function* () {
			return yield* answer;
		})(),
	);
}

const byId = eq(agents.id, sql.placeholder("id"));

const agent = query(getTableColumns(agents), (builder, fields) =>
	builder.select(fields).from(agents).where(byId),
);
const insertKey = insertInto(apiKeys);

describe("a question", () => {
	test("gives rows as Drizzle does: lists, numbers, null", () => {
		const mapped = dbOf(store)
			.select()
			.from(agents)
			.where(eq(agents.id, "a"))
			.get();
		const row = asked(agent(store).get({ id: "a" }));
		expect(row).toEqual(mapped);
		expect(asked(agent(store).all({ id: "a" }))).toEqual([requireRow(mapped)]);
		expect(row?.interests).toBeArray();
		expect(row?.deactivatedAt).toBeNull();
	});

	test("writes values as their columns hold them, and gives back what it wrote", () => {
		const rename = query(
			{ interests: agents.interests, bio: agents.bio },
			(builder, fields) =>
				builder
					.update(agents)
					.set(assignments(agents, "interests", "bio"))
					.where(byId)
					.returning(fields),
		);
		const written = { interests: ["tides", '"'], bio: null };
		expect(asked(rename(store).get({ id: "a", ...written }))).toEqual(written);
		expect(asked(agent(store).get({ id: "a" }))).toMatchObject(written);
	});

	test("gives undefined for no row, which is a failure where there must be one", () => {
		expect(asked(agent(store).get({ id: "b" }))).toBeUndefined();
		expect(() => requireRow(asked(agent(store).get({ id: "b" })))).toThrow(
			"no row",
		);
	});

	test("is prepared once for each store", async () => {
		expect(agent(store)).toBe(agent(store));
		const other = openStore(":memory:");
		expect(asked(agent(other).get({ id: "a" }))).toBeUndefined();
		await other.close();
	});

	test("wants a value for each placeholder; what is none is the same at each call", () => {
		expect(() => asked(agent(store).get({}))).toThrow("no value for id");
		const fixed = query({ id: agents.id }, (builder, fields) =>
			builder.select(fields).from(agents).where(eq(agents.id, "a")),
		);
		expect(asked(fixed(store).get({}))).toEqual({ id: "a" });
	});
});
