/** Tests of erasing an agent, and of exporting its data. */
import { beforeEach, describe, expect, test } from "bun:test";
import { getTableColumns, getTableName } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { loadPersonalTables } from "../../../src/cli/features.ts";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { ownTables } from "../../../src/features/admin/erasures.ts";
import { testFeatures } from "../../support/features.ts";
import { tables } from "../../support/store.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { placesOf, readEverywhere } from "./everywhere.ts";
import { FILLING, leaveTraces, MARK, type Traced, traceable } from "./traces.ts";

/** The columns of an agent's rows that keep their values when the agent is erased. */
const withoutTexts = [
	// In these columns, names from the catalogue remain, but names of the agent's experiences are overwritten.
	"activity_log.activity_category",
	"activity_log.activity_name",
	"stays.activity_name",
	"events.details",
	// The host writes these columns.
	"admin_actions.command",
	"admin_actions.system_user",
	// These columns have one of a few fixed values.
	"events.type",
	"stays.room_type",
	...testFeatures.flatMap((feature) => feature.columnsWithoutTexts ?? []),
];

/** The columns that `leaveTraces` leaves empty, because no agent can write a text of its own there. */
const withoutTraces = ["sessions.sealed_key", "webhooks.agent_ids", "webhooks.failure"];

const casing = new CasingCache("snake_case");
const context = useResort({ onFile: true, ...traceable });
const other = useGuest(context, { name: "Somebody Else" });
let agent: Traced;

beforeEach(async () => {
	agent = await leaveTraces(context, other);
	context.advance(60_000);
});

interface TextColumn {
	/** The table and the column, for example `stays.room_type`. */
	readonly name: string;
	/** The values in the rows of the agent. */
	readonly values: readonly unknown[];
}

/** Returns the columns that contain texts other than ids, in the tables that have rows of the agent. */
async function textColumns(): Promise<TextColumn[]> {
	const found: TextColumn[] = [];
	for (const table of tables) {
		const name = getTableName(table);
		const columns = getTableConfig(table).columns.map((column) => ({
			column: casing.getColumnCasing(column),
			isText: ["text", "blob"].includes(column.getSQLType()),
		}));
		const names = columns.map(({ column }) => column);
		const own = names.filter((column) => /^(agent|creator|sender)_id$/.test(column));
		if (name === "agents") own.push("id");
		if (own.length === 0) continue;
		const isOwn = own.map((column) => `${column} = '${agent.id}'`);
		const rows = await context.rows(`select * from ${name} where ${isOwn.join(" or ")}`);
		for (const { column, isText } of columns) {
			if (!isText || /^id$|_id$/.test(column)) continue;
			found.push({ name: `${name}.${column}`, values: rows.map((row) => row[column]) });
		}
	}
	return found;
}

const isEmpty = (value: unknown) => [null, "[]", "null"].includes(value as string);

const namesOf = (columns: readonly TextColumn[]) => columns.map(({ name }) => name).sort();

const erase = () => context.byHost(`/agents/${agent.id}/erase`);
const read = () => readEverywhere(context, { agents: [agent, other], experienceIds: [agent.experienceId] });

describe("`resort admin erase`", () => {
	test("removes the texts of the agent from all public responses, including cached ones", async () => {
		// This read also fills the caches, from which the texts must disappear too.
		expect(placesOf(await read(), MARK).length).toBeGreaterThan(20);
		await erase();
		expect(placesOf(await read(), MARK)).toEqual([]);
	});

	test("removes the texts, secrets and keys of the agent from all tables", async () => {
		await erase();
		const rows = await context.dump();
		for (const text of [MARK, FILLING, ...agent.secrets, agent.key]) {
			expect(rows.includes(text), text).toBe(false);
		}
		expect(await context.rows("select * from idempotency_keys")).toEqual([]);
	});

	test("overwrites the name of an experience in other agents' stays, even if the experience was already hidden", async () => {
		await context.complete(other, agent.experienceId);
		context.advance(2 * DAY_MS);
		await context.byHost(`/experiences/${agent.experienceId}/hide`);
		await erase();
		expect(await context.rows(`select activity_name from stays where agent_id = '${other.id}'`)).toEqual([
			{ activity_name: "(erased)" },
		]);
	});

	test("overwrites every column in which the agent can write a text", async () => {
		await context.login(agent.key);
		const unfilled = (await textColumns()).filter(({ values }) => values.every(isEmpty));
		const trace = "fill the column in leaveTraces: of test/features/admin/traces.ts, or of the TestFeature";
		expect(namesOf(unfilled), trace).toEqual(withoutTraces);
		await erase();
		const left = (await textColumns()).filter(({ values }) =>
			values.some((value) => !isEmpty(value) && value !== "(erased)"),
		);
		const remedy =
			"add the column to `erased` in the feature's loadPersonalTables, or to columnsWithoutTexts of its TestFeature";
		expect(namesOf(left), remedy).toEqual(withoutTexts.toSorted());
	});

	test("archives experiences in the order of their creation, even if the clock was set back", async () => {
		const made = [agent.experienceId];
		for (const name of ["Fog", "Shells", "Moss"]) {
			context.advance(-1);
			made.push((await context.create(agent, { name })).id);
		}
		await erase();
		const { body } = await context.call("GET", "/api/events?since=0&types=experience.archived");
		expect(body.events.map(({ experience }) => experience?.id)).toEqual(made);
	});

	test("ends the webhooks of the agent, and deletes the network address from which each was created", async () => {
		const webhooks = () => context.rows("select state, network from webhooks");
		expect(await webhooks()).toEqual([{ state: "active", network: "192.0.2.1" }]);
		await erase();
		expect(await webhooks()).toEqual([{ state: "ended", network: null }]);
	});

	test("keeps another agent's current activity that follows an erased experience within the same millisecond", async () => {
		await context.complete(other, agent.experienceId);
		await context.send("POST", "/api/activities/tidepool-float/do", { key: other.key });
		await erase();
		const { stay } = await context.send("GET", `/api/agents/${other.id}/status`);
		expect(stay?.currentActivity?.name).toBe("Tidepool Float");
	});
});

const personalTables = [...ownTables, ...(await loadPersonalTables())];

/** Maps the name of each table to the part of the export that contains its rows. */
const exported: Readonly<Record<string, string>> = {
	agents: "agent",
	api_keys: "key",
	identities: "identity",
	sessions: "sessions",
	events: "events",
	...Object.fromEntries(personalTables.map(({ table, name }) => [getTableName(table), name])),
};

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

test("the export of an agent contains all texts of the agent, times in ISO 8601, and no secrets or hashes", async () => {
	const { text, parts } = await exportOf(agent);
	const dump = `${await context.dump()}`;
	const kept = new Set(dump.match(new RegExp(`${MARK} [a-z]+( second)?`, "g")));
	expect(kept.size).toBeGreaterThanOrEqual(18);
	for (const words of kept) expect(text).toContain(words);
	expect(text).toContain(`${MARK}-subject`);
	const [keyId = "", secret = ""] = agent.secrets;
	expect(text).toContain(keyId);
	expect(text).not.toContain(secret);
	expect(text).not.toContain(agent.key);
	expect(text).not.toMatch(/hash|sealed|secret/i);
	expect(parts.idempotencyKeys).toHaveLength(2);
	expect(parts.stays?.[0]?.checkedInAt).toMatch(/^2026-03-10T12:00:00/);
});

test("the export of an agent contains no texts of other agents except names of experiences and postcards to the agent", async () => {
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
