import { beforeEach, describe, expect, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { testFeatures } from "../../support/features.ts";
import { tables } from "../../support/store.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { placesOf, readEverywhere } from "./everywhere.ts";
import { FILLING, leaveTraces, MARK, type Traced, traceable } from "./traces.ts";

/** The columns of an agent's rows that keep their values when the agent is erased. */
const withoutTexts = [
	// These contain names of activities in the catalogue. Names of the agent's experiences are overwritten.
	"activity_log.activity_category",
	"activity_log.activity_name",
	"stays.activity_name",
	"events.details",
	// Written by the host.
	"admin_actions.command",
	"admin_actions.system_user",
	// Have one of a few fixed values.
	"events.type",
	"stays.room_type",
	...testFeatures.flatMap((feature) => feature.columnsWithoutTexts ?? []),
];

/** The columns that `leaveTraces` leaves empty, because no agent can write a text of its own there. */
const withoutTraces = ["sessions.sealed_key", "webhooks.agent_ids", "webhooks.failure"];

const casing = new CasingCache("snake_case");
const context = useResort({ onFile: true, ...traceable });
const other = useGuest(context, { name: "Other" });
let agent: Traced;

beforeEach(async () => {
	agent = await leaveTraces(context, other);
	context.advance(60_000);
});

interface TextColumn {
	/** Such as `stays.room_type`. */
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

describe("resort admin erase", () => {
	test("removes the texts of the agent from all public responses, including cached ones", async () => {
		// The first read fills the caches.
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

	test("overwrites the texts of the agent in all columns, except those in `withoutTexts`", async () => {
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

	test("ends the webhooks of the agent, and removes the networks that created them", async () => {
		const webhooks = () => context.rows("select state, network from webhooks");
		expect(await webhooks()).toEqual([{ state: "active", network: "192.0.2.1" }]);
		await erase();
		expect(await webhooks()).toEqual([{ state: "ended", network: null }]);
	});

	test("keeps another agent's current activity, even if that agent did the erased experience in the same millisecond", async () => {
		await context.complete(other, agent.experienceId);
		await context.send("POST", "/api/activities/tidepool-float/do", { key: other.key });
		await erase();
		const { stay } = await context.send("GET", `/api/agents/${other.id}/status`);
		expect(stay?.currentActivity?.name).toBe("Tidepool Float");
	});
});
