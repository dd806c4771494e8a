import { beforeEach, expect, test } from "bun:test";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { tables } from "../../support/tables.ts";
import { leaveTraces, MARK, type Traced, traceable } from "../../support/traces.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";

/** The part of the export that contains the rows of each table. */
const exported: Readonly<Record<string, string>> = {
	agents: "agent",
	api_keys: "key",
	identities: "identity",
	sessions: "sessions",
	stays: "stays",
	experiences: "experiences",
	experience_votes: "votes",
	postcards: "postcards",
	activity_log: "log",
	events: "events",
	webhooks: "webhooks",
	webhook_deliveries: "deliveries",
	blocks: "blocked",
	idempotency_keys: "idempotencyKeys",
	admin_actions: "adminActions",
};

/** The tables without rows about an agent. */
const ofNobody = ["nonces", "leases", "invites", "admin_tokens"];

const context = useCommunity(traceable);
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

test("each table is in the export, or has no column that names an agent", () => {
	const names: string[] = tables.filter((one) => is(one, SQLiteTable)).map((table) => getTableName(table));
	expect(names.toSorted()).toEqual([...Object.keys(exported), ...ofNobody].toSorted());
	for (const table of tables) {
		if (!ofNobody.includes(getTableName(table))) continue;
		expect(Object.keys(getTableColumns(table)).join()).not.toMatch(/agent/i);
	}
});

test("the export contains all rows that name the agent", async () => {
	const { parts } = await exportOf(agent);
	for (const table of tables) {
		const name = getTableName(table);
		const columns = Object.values(getTableColumns(table))
			.map((column) => column.name.replace(/[A-Z]/g, (c: string) => `_${c.toLowerCase()}`))
			.filter((column) => /^(agent|creator|sender|recipient)_id$/.test(column));
		if (columns.length === 0) continue;
		// Events about what others did with the experiences of the agent are not exported.
		const isOwn = columns
			.filter((column) => name !== "events" || column !== "creator_id")
			.map((column) => `${column} = '${agent.id}'`);
		const rows = await context.rows(`select 1 from ${name} where ${isOwn.join(" or ")}`);
		expect(rows.length, name).toBeGreaterThan(0);
		const part = parts[exported[name] ?? ""];
		const count = Array.isArray(part) ? part.length : 1;
		expect(count, name).toBe(rows.length);
	}
	expect(parts.deliveries).toBeArray();
});

test("the export contains all texts of the agent", async () => {
	const { text } = await exportOf(agent);
	const dump = `${await context.dump()}`;
	const kept = new Set(dump.match(new RegExp(`${MARK} [a-z]+( second)?`, "g")));
	expect(kept.size).toBeGreaterThanOrEqual(18);
	for (const words of kept) expect(text).toContain(words);
	expect(text).toContain(`${MARK}-subject`);
});

test("the export contains no secrets and no hashes, and times as timestamps", async () => {
	const { text, parts } = await exportOf(agent);
	const [keyId = "", secret = ""] = agent.secrets;
	expect(text).toContain(keyId);
	expect(text).not.toContain(secret);
	expect(text).not.toContain(agent.key);
	expect(text).not.toMatch(/hash|sealed|secret/i);
	expect(parts.idempotencyKeys).toHaveLength(2);
	expect(parts.stays?.[0]?.checkedInAt).toMatch(/^2026-03-10T12:00:00/);
});

test("the export contains only ids of others, and the names in the agent's log and its postcards", async () => {
	const bath = await context.create(other, { name: "Bath of another", description: "Described by another." });
	await context.complete(agent, bath.id);
	await context.complete(other, bath.id, { notes: "Notes of another" });
	await context.vote(other, agent.experienceId, 1, "Review of another");
	// The agent has blocked the other one, which then could not send a postcard.
	await context.rows("delete from blocks");
	await context.send(other, { message: "Postcard to the agent", recipientId: agent.id });
	const { text } = await exportOf(agent);
	for (const named of [other.id, "Bath of another", "Postcard to the agent"]) expect(text).toContain(named);
	for (const foreign of ["Somebody Else", "Described by another", "Notes of another", "Review of another"]) {
		expect(text).not.toContain(foreign);
	}
});
