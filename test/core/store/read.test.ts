import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { count } from "drizzle-orm";
import { query } from "../../../src/core/store/query.ts";
import { agents } from "../../../src/core/store/tables.ts";
import type { Task } from "../../../src/core/store/task.ts";
import { insertAgent } from "./rows.ts";
import { useStore } from "./use-store.ts";

const { folder, store } = useStore();

const counted = query({ all: count() }, (builder, fields) => builder.select(fields).from(agents));

function* countTwice(): Task<unknown> {
	const before = yield* counted(store).get({});
	using other = new Database(folder.file());
	other.run("DELETE FROM agents");
	return [before, yield* counted(store).get({})];
}

test("all queries of a read-only task see the same state", () => {
	insertAgent(store, "a");
	expect(store.read(countTwice)).toEqual([{ all: 1 }, { all: 1 }]);
	expect(store.read(() => counted(store).get({}))).toEqual({ all: 0 });
});

test("a read-only task that throws leaves no open transaction", () => {
	const failing = () =>
		store.read(function* (): Task<void> {
			yield* counted(store).get({});
			throw new Error("rule");
		});
	expect(failing).toThrow("rule");
	expect(store.sqlite.inTransaction).toBe(false);
});
