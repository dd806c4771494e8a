import { afterEach, beforeEach, expect, test } from "bun:test";
import { cachedLookup, MAX_ROWS } from "../../src/store/cached-lookup.ts";
import {
	openStore,
	type SqliteStore as Store,
} from "../../src/store/sqlite/sqlite-store.ts";
import { immediate, runSync } from "../../src/store/task.ts";
import { rule } from "../support/store.ts";

let store: Store;
let looked: string[];
/** What is there to be found. */
let rows: Map<string, { of: string }>;

beforeEach(() => {
	store = openStore(":memory:");
	looked = [];
	rows = new Map([
		["a", { of: "a" }],
		["b", { of: "b" }],
	]);
});
afterEach(() => store.close());

const lookUp = cachedLookup(
	{ all: ["credential.ended"], one: "agent.seen" },
	function* (_, key) {
		yield* immediate(() => looked.push(key));
		return rows.get(key);
	},
);
const look = (of: Store, key: string) => runSync(lookUp(of, key));

const happen = (type: string) =>
	store.write(function* () {
		yield* store.publish({ type, agentId: "a" });
	});

test("a row is cached", () => {
	const found = look(store, "a");
	expect(found).toEqual({ of: "a" });
	expect(look(store, "a")).toBe(found);
	expect(look(store, "b")).toEqual({ of: "b" });
	expect(looked).toEqual(["a", "b"]);
});

test("a missing row is not cached", () => {
	expect(look(store, "c")).toBeUndefined();
	rows.set("c", { of: "c" });
	expect(look(store, "c")).toEqual({ of: "c" });
	expect(looked).toEqual(["c", "c"]);
});

test("events of its types invalidate all rows, other events none", async () => {
	look(store, "a");
	look(store, "b");
	rows.clear();
	await happen("agent.did");
	expect(look(store, "a")).toEqual({ of: "a" });
	await happen("credential.ended");
	expect(look(store, "a")).toBeUndefined();
	expect(look(store, "b")).toBeUndefined();
});

test("an event of one agent invalidates the row with its id", async () => {
	look(store, "a");
	look(store, "b");
	rows.clear();
	await happen("agent.seen");
	expect(look(store, "a")).toBeUndefined();
	expect(look(store, "b")).toEqual({ of: "b" });
});

test("a change that was rolled back invalidates all rows: its writes may have been read", async () => {
	look(store, "a");
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
	expect(look(store, "a")).toBeUndefined();
});

test("each store has a cache of its own", async () => {
	look(store, "a");
	const other = openStore(":memory:");
	look(other, "a");
	expect(looked).toEqual(["a", "a"]);
	await other.close();
});

test("the least recently used row is evicted when the cache is full", () => {
	for (let at = 0; at <= MAX_ROWS; at++) rows.set(`${at}`, { of: `${at}` });
	for (let at = 0; at < MAX_ROWS; at++) look(store, `${at}`);
	looked = [];
	look(store, "0");
	look(store, `${MAX_ROWS - 1}`);
	expect(looked).toEqual([]);
	look(store, `${MAX_ROWS}`);
	look(store, "0");
	expect(looked).toEqual([`${MAX_ROWS}`]);
	look(store, "1");
	expect(looked).toEqual([`${MAX_ROWS}`, "1"]);
});
