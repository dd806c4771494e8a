import { beforeEach, expect, test } from "bun:test";
import { apiKeys, stays } from "../../src/store/tables.ts";
import { dbOf } from "../support/store.ts";
import { insertAgent, insertStay } from "./rows.ts";
import { useStore } from "./use-store.ts";

const { store } = useStore();
beforeEach(() => {
	for (const id of ["a", "b"]) insertAgent(store, id);
});

function refusal(run: () => void): string | null {
	try {
		run();
		return null;
	} catch (error) {
		return error instanceof Error && "code" in error ? `${error.code}` : "?";
	}
}

const isTwice = "SQLITE_CONSTRAINT_UNIQUE";
const isOutside = "SQLITE_CONSTRAINT_CHECK";
const isOrphan = "SQLITE_CONSTRAINT_FOREIGNKEY";

test("an agent has at most one open stay, and none of the closed ones opens again", () => {
	const insert = (stay: object) => refusal(() => insertStay(store, stay));
	const closed = { agentId: "a", checkedOutAt: 2_000 };
	expect(insert({ agentId: "a" })).toBeNull();
	expect(insert({ agentId: "a" })).toBe(isTwice);
	expect(insert({ agentId: "b" })).toBeNull();
	expect([insert(closed), insert(closed)]).toEqual([null, null]);
	const reopen = () =>
		dbOf(store).update(stays).set({ checkedOutAt: null }).run();
	expect(refusal(reopen)).toBe(isTwice);
});

test.each<[stay: Partial<typeof stays.$inferInsert>, code: string | null]>([
	[{ roomNumber: 0 }, isOutside],
	[{ roomNumber: 1 }, null],
	[{ roomNumber: 99 }, null],
	[{ roomNumber: 100 }, isOutside],
	[{ checkedOutAt: 999 }, isOutside],
	[{ checkedOutAt: 1_000 }, null],
	[{ id: "s" }, isTwice],
	[{ agentId: "nobody" }, isOrphan],
])("a stay from 1000 on with %j: %p", (stay, code) => {
	insertStay(store, { id: "s", agentId: "b" });
	expect(refusal(() => insertStay(store, stay))).toBe(code);
});

test("an agent with a stay cannot be deleted", () => {
	insertStay(store, { agentId: "a" });
	const remove = () => store.sqlite.run("DELETE FROM agents WHERE id = 'a'");
	expect(refusal(remove)).toBe(isOrphan);
});

test("an agent has one key, and a key one agent", () => {
	const insert = (keyId: string, agentId: string) => () => {
		const secretHash = Buffer.alloc(32);
		const key = { keyId, agentId, secretHash, createdAt: 1 };
		dbOf(store).insert(apiKeys).values(key).run();
	};
	expect(refusal(insert("k", "a"))).toBeNull();
	expect(refusal(insert("l", "a"))).toBe(isTwice);
	expect(refusal(insert("k", "b"))).toBe("SQLITE_CONSTRAINT_PRIMARYKEY");
});
