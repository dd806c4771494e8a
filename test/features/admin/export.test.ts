import { beforeEach, expect, test } from "bun:test";
import { getTableColumns, getTableName } from "drizzle-orm";
import { loadPersonalTables } from "../../../src/cli/features.ts";
import { ownTables } from "../../../src/features/admin/erasures.ts";
import { tables } from "../../support/store.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { leaveTraces, MARK, type Traced, traceable } from "./traces.ts";

const personalTables = [...ownTables, ...(await loadPersonalTables())];

/** The part of the export that contains the rows of a table, by the name of the table. */
const exported: Readonly<Record<string, string>> = {
	agents: "agent",
	api_keys: "key",
	identities: "identity",
	sessions: "sessions",
	events: "events",
	...Object.fromEntries(personalTables.map(({ table, name }) => [getTableName(table), name])),
};

const context = useResort(traceable);
const other = useGuest(context, { name: "Somebody Else" });
let agent: Traced;

beforeEach(async () => {
	agent = await leaveTraces(context, other);
});
async function exportOf({ id }: { id: string }) {
	const { text, body } = await context.host("GET", `/agents/${id}/export`);
	const parts: Record<string, Record<string, unknown>[]> = Object(body).export;
	return { text, parts };
}

test("the export of an agent contains all rows that refer to this agent", async () => {
	const { parts } = await exportOf(agent);
	for (const table of tables) {
		const name = getTableName(table);
		const columns = Object.keys(getTableColumns(table)).filter((column) =>
			/agent|creator|sender|recipient/i.test(column),
		);
		if (columns.length === 0) continue;
		const missing = `add ${name} to the feature's loadPersonalTables: export has no rows of it`;
		expect(Object.keys(exported), missing).toContain(name);
		// Events about what others did with the experiences of the agent are not exported.
		const isOwn = columns
			.filter((column) => column.endsWith("Id") && (name !== "events" || column !== "creatorId"))
			.map((column) => `${column.replace("Id", "_id")} = '${agent.id}'`);
		const rows = await context.rows(`select 1 from ${name} where ${isOwn.join(" or ")}`);
		expect(rows.length, `${name}: let leaveTraces of the TestFeature add a row`).toBeGreaterThan(0);
		const part = parts[exported[name] ?? ""];
		const count = Array.isArray(part) ? part.length : 1;
		expect(count, name).toBe(rows.length);
	}
	expect(parts.deliveries).toBeArray();
});

test("the export of an agent contains all texts of this agent", async () => {
	const { text } = await exportOf(agent);
	const dump = `${await context.dump()}`;
	const kept = new Set(dump.match(new RegExp(`${MARK} [a-z]+( second)?`, "g")));
	expect(kept.size).toBeGreaterThanOrEqual(18);
	for (const words of kept) expect(text).toContain(words);
	expect(text).toContain(`${MARK}-subject`);
});

test("the export of an agent contains no secrets or hashes, and shows times as timestamps", async () => {
	const { text, parts } = await exportOf(agent);
	const [keyId = "", secret = ""] = agent.secrets;
	expect(text).toContain(keyId);
	expect(text).not.toContain(secret);
	expect(text).not.toContain(agent.key);
	expect(text).not.toMatch(/hash|sealed|secret/i);
	expect(parts.idempotencyKeys).toHaveLength(2);
	expect(parts.stays?.[0]?.checkedInAt).toMatch(/^2026-03-10T12:00:00/);
});

test("about other agents, the export of an agent contains only ids, names of experiences in its log, and postcards to it", async () => {
	const bath = await context.create(other, { name: "Bath of another", description: "Described by another." });
	await context.complete(agent, bath.id);
	await context.complete(other, bath.id, { notes: "Notes of another" });
	await context.vote(other, agent.experienceId, 1, "Review of another");
	// Unblocks the other agent, so that it can send a postcard to the agent.
	await context.rows("delete from blocks");
	await context.sendPostcard(other, { message: "Postcard to the agent", recipientId: agent.id });
	const { text } = await exportOf(agent);
	for (const named of [other.id, "Bath of another", "Postcard to the agent"]) expect(text).toContain(named);
	for (const foreign of ["Somebody Else", "Described by another", "Notes of another", "Review of another"]) {
		expect(text).not.toContain(foreign);
	}
});
