import { afterEach, beforeEach, expect, test } from "bun:test";
import { cachedLookup } from "../../../src/core/store/cached-lookup.ts";
import { openStore, type SqliteStore as Store } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { EXTERNAL_CHANGE } from "../../../src/core/store/store.ts";
import { runSync } from "../../../src/core/store/task.ts";
import { rule } from "../../support/store.ts";

let store: Store;
let looked: string[];
let rows: Map<string, { of: string }>;
/** Called during each lookup of a row. */
let meanwhile: () => void;

beforeEach(() => {
	store = openStore(":memory:");
	looked = [];
	meanwhile = () => {};
	rows = new Map(["a", "b"].map((of) => [of, { of }]));
});
afterEach(() => store.close());

const lookUp = cachedLookup({ all: ["credential.ended"], one: "agent.seen" }, function* (_, key) {
	looked.push(key);
	const row = rows.get(key);
	meanwhile();
	return row;
});
const look = (key: string, of = store) => runSync(lookUp(of, key));

test("a cached lookup caches rows separately for each store, and does not cache that a row is missing", async () => {
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

test("a rollback invalidates all cached rows, because they may contain writes that were rolled back", async () => {
	look("a");
	rows.clear();
	const undone = store.write(
		rule(() => {
			store.sqlite.run("INSERT INTO nonces (nonce, expires_at) VALUES ('n', 1)");
			throw new Error("undone");
		}),
	);
	await expect(undone).rejects.toThrow("undone");
	expect(look("a")).toBeUndefined();
});

const publish = (type: string, agentId: string | null) =>
	store.writeUnsynced(() => store.publish({ type, agentId }));

test.each([
	["credential.ended", "a", "all cached rows", ["a", "b"]],
	[EXTERNAL_CHANGE.type, null, "all cached rows", ["a", "b"]],
	["agent.seen", "a", "only the cached row of this agent", ["a"]],
	["agent.seen", null, "no cached row", []],
	["agent.changed", "a", "no cached row", []],
])("an event `%s` with the agent id %p invalidates %s", async (type, agentId, _rows, invalidated) => {
	for (const key of ["a", "b"]) look(key);
	await publish(type, agentId);
	looked = [];
	for (const key of ["a", "b"]) look(key);
	expect(looked).toEqual(invalidated);
});

test.each(["credential.ended", "agent.seen"])(
	"a row is not cached if an event `%s` is published while the row is looked up",
	(type) => {
		meanwhile = () => void publish(type, "a");
		look("a");
		meanwhile = () => {};
		rows.delete("a");
		expect(look("a")).toBeUndefined();
	},
);
