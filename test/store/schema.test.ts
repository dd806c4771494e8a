import { beforeEach, describe, expect, test } from "bun:test";
import { apiKeys, stays } from "../../src/store/tables.ts";
import { dbOf } from "../support/store.ts";
import { insertAgent, insertStay } from "./rows.ts";
import { useStore } from "./use-store.ts";

const { store } = useStore();
beforeEach(() => {
	insertAgent(store, "a");
	insertAgent(store, "b");
});

/** The code that SQLite refuses a row with; null when it takes it. */
function refusal(insert: () => void): string | null {
	try {
		insert();
		return null;
	} catch (error) {
		return error instanceof Error && "code" in error ? `${error.code}` : "?";
	}
}

describe("a stay", () => {
	const isTwice = "SQLITE_CONSTRAINT_UNIQUE";

	test("is refused while its agent has an open one", () => {
		insertStay(store, { agentId: "a" });
		expect(refusal(() => insertStay(store, { agentId: "a" }))).toBe(isTwice);
		expect(refusal(() => insertStay(store, { agentId: "b" }))).toBeNull();
		dbOf(store).update(stays).set({ checkedOutAt: 2_000 }).run();
		expect(refusal(() => insertStay(store, { agentId: "a" }))).toBeNull();
		expect(refusal(() => insertStay(store, { agentId: "a" }))).toBe(isTwice);
	});

	test("may be one of many when they are closed, and none of them opens again", () => {
		const closed = { agentId: "a", checkedOutAt: 2_000 };
		insertStay(store, closed);
		insertStay(store, closed);
		insertStay(store, { agentId: "a" });
		const reopen = () =>
			dbOf(store).update(stays).set({ checkedOutAt: null }).run();
		expect(refusal(reopen)).toBe(isTwice);
	});

	test.each([
		[-1, "SQLITE_CONSTRAINT_CHECK"],
		[0, "SQLITE_CONSTRAINT_CHECK"],
		[1, null],
		[99, null],
		[100, "SQLITE_CONSTRAINT_CHECK"],
	])("in room %d: %p", (roomNumber, code) => {
		expect(refusal(() => insertStay(store, { roomNumber }))).toBe(code);
	});

	test.each([
		[999, "SQLITE_CONSTRAINT_CHECK"],
		[1_000, null],
		[1_001, null],
		[null, null],
	])("from 1000 to %p: %p", (checkedOutAt, code) => {
		expect(refusal(() => insertStay(store, { checkedOutAt }))).toBe(code);
	});

	test("has an id of its own", () => {
		insertStay(store, { id: "s", agentId: "a" });
		expect(refusal(() => insertStay(store, { id: "s", agentId: "b" }))).toBe(
			isTwice,
		);
	});
});

test("an agent with a stay cannot be deleted, and nobody has one", () => {
	insertStay(store, { agentId: "a" });
	const remove = () => store.sqlite.run("DELETE FROM agents WHERE id = 'a'");
	expect(refusal(remove)).toBe("SQLITE_CONSTRAINT_FOREIGNKEY");
	const insert = () => insertStay(store, { agentId: "nobody" });
	expect(refusal(insert)).toBe("SQLITE_CONSTRAINT_FOREIGNKEY");
});

test("an agent has one key, and a key one agent", () => {
	const insert = (keyId: string, agentId: string) => () => {
		const secretHash = Buffer.alloc(32);
		const key = { keyId, agentId, secretHash, createdAt: 1 };
		dbOf(store).insert(apiKeys).values(key).run();
	};
	expect(refusal(insert("k", "a"))).toBeNull();
	expect(refusal(insert("l", "a"))).toBe("SQLITE_CONSTRAINT_UNIQUE");
	expect(refusal(insert("k", "b"))).toBe("SQLITE_CONSTRAINT_PRIMARYKEY");
	expect(refusal(insert("l", "b"))).toBeNull();
});
