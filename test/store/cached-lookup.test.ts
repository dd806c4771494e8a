import { afterEach, beforeEach, expect, test } from "bun:test";
import { cachedLookup } from "../../src/store/cached-lookup.ts";
import {
	openStore,
	type SqliteStore as Store,
} from "../../src/store/sqlite/sqlite-store.ts";
import { immediate, runSync } from "../../src/store/task.ts";
import { rule } from "../support/store.ts";

let store: Store;
let looked: string[];
let rows: Map<string, { of: string }>;

beforeEach(() => {
	store = openStore(":memory:");
	looked = [];
	rows = new Map(["a", "b"].map((of) => [of, { of }]));
});
afterEach(() => store.close());

const lookUp = cachedLookup(
	{ all: ["credential.ended"], one: "agent.seen" },
	function* (_, key) {
		yield* immediate(() => looked.push(key));
		return rows.get(key);
	},
);
const look = (key: string, of = store) => runSync(lookUp(of, key));

test("each store caches a row, but not a missing one", async () => {
	const found = look("a");
	expect(found).toEqual({ of: "a" });
	expect(look("a")).toBe(found);
	expect(look("c")).toBeUndefined();
	rows.set("c", { of: "c" });
	expect(look("c")).toEqual({ of: "c" });
	const other = openStore(":memory:");
	look("a", other);
	expect(looked).toEqual(["a", "c", "c", "a"]);
	await other.close();
});

test("a change that was rolled back invalidates all rows: its writes may have been read", async () => {
	look("a");
	rows.clear();
	const undone = store.write(
		rule(() => {
			store.sqlite.run(
				"INSERT INTO nonces (nonce, expires_at) VALUES ('n', 1)",
			);
			throw new Error("undone");
		}),
	);
	await expect(undone).rejects.toThrow("undone");
	expect(look("a")).toBeUndefined();
});
