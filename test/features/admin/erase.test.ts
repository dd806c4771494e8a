import { beforeEach, describe, expect, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import { CasingCache } from "drizzle-orm/casing";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { placesOf, readEverywhere } from "../../support/everywhere.ts";
import { tables } from "../../support/tables.ts";
import { FILLING, leaveTraces, MARK, type Traced, traceable } from "../../support/traces.ts";
import { useCommunityOnFile, useGuest } from "../../support/use-resort.ts";

/**
 * Columns of rows about an agent that keep a value when the agent is erased, because it is no text of the
 * agent.
 */
const withoutTexts = [
	// Of activities of the catalogue; those of the agent's experiences are overwritten.
	"activity_log.activity_category",
	"activity_log.activity_name",
	"stays.activity_name",
	"events.details",
	// Of the host.
	"admin_actions.command",
	"admin_actions.system_user",
	// One of a few values.
	"events.type",
	"stays.room_type",
	"webhooks.state",
];

const casing = new CasingCache("snake_case");
const context = useCommunityOnFile(traceable);
const other = useGuest(context, { name: "Other" });
let agent: Traced;

beforeEach(async () => {
	agent = await leaveTraces(context, other);
	context.advance(60_000);
});
const erase = () => context.byHost(`/agents/${agent.id}/erase`);
const read = () =>
	readEverywhere(context, {
		agents: [agent, other],
		experienceIds: [agent.experienceId],
	});

describe("erase", () => {
	test("leaves no text in any public answer, also not in one that was kept ready", async () => {
		expect(placesOf(await read(), MARK).length).toBeGreaterThan(20);
		await read();
		await erase();
		expect(placesOf(await read(), MARK)).toEqual([]);
	});

	test("leaves no text in any row of any table", async () => {
		await erase();
		const rows = await context.dump();
		for (const text of [MARK, FILLING, ...agent.secrets, agent.key]) {
			expect({ text, isKept: rows.includes(text) }).toEqual({
				text,
				isKept: false,
			});
		}
	});

	test("deletes what a repeated call would get, also that of the registration", async () => {
		const count = async () => {
			const [row] = await context.rows("select count(*) as n from idempotency_keys");
			return Number(row?.n);
		};
		expect(await count()).toBe(2);
		await erase();
		expect(await count()).toBe(0);
	});

	test("leaves in no column a text or bytes that this list does not name", async () => {
		await context.login(agent.key);
		await erase();
		const left = new Set<string>();
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
				const isErased = (row: (typeof rows)[number]) =>
					[null, "(erased)", "[]", "null"].includes(row[column] as string);
				if (!rows.every(isErased)) left.add(`${name}.${column}`);
			}
		}
		expect([...left].sort()).toEqual(withoutTexts.toSorted());
	});

	test("keeps rows, ids and counts", async () => {
		const count = async () => {
			const tables = ["agents", "stays", "experiences", "experience_votes", "postcards", "activity_log"];
			const counted = tables.map(async (name) => [
				name,
				(await context.rows(`select id from ${name} order by id`)).map(({ id }) => id),
			]);
			return Object.fromEntries(await Promise.all(counted));
		};
		const numbers = () =>
			context.rows("select rating_sum, total_votes, total_completions from experiences order by id");
		const before = [await count(), await numbers()];
		await erase();
		expect([await count(), await numbers()]).toEqual(before);
	});

	test("publishes agent.gone once, also when it is repeated or the agent had left before", async () => {
		await context.ask("DELETE", "/api/me", { key: agent.key });
		await erase();
		await erase();
		const { body } = await context.ask(
			"GET",
			"/api/events?since=0&types=agent.gone,experience.archived&limit=100",
		);
		expect(body.events.map(({ type }) => type).sort()).toEqual(["agent.gone", "experience.archived"]);
	});

	test("archives its experiences in their order, also if the clock was set back between them", async () => {
		const made = [agent.experienceId];
		for (const name of ["Fog", "Shells", "Moss"]) {
			context.advance(-1);
			made.push((await context.create(agent, { name })).id);
		}
		await erase();
		const path = "/api/events?since=0&types=experience.archived";
		const { events } = (await context.ask("GET", path)).body;
		const archived = events.map(({ experience }) => experience?.id);
		expect(archived).toEqual(made);
	});

	test("ends its key, its sessions and its webhooks", async () => {
		const session = await context.login(agent.key);
		const webhooks = () => context.rows("select state, network from webhooks");
		expect(await webhooks()).toEqual([{ state: "active", network: "192.0.2.1" }]);
		await erase();
		for (const who of [{ key: agent.key }, { session }]) {
			expect((await context.me(who)).status).toBe(401);
		}
		expect(await webhooks()).toEqual([{ state: "ended", network: null }]);
	});

	test("leaves what others made and wrote as it was", async () => {
		const mine = await context.create(other, { name: "Of another" });
		await context.complete(other, mine.id, { notes: "My notes" });
		await context.complete(other, agent.experienceId);
		await context.ask("POST", "/api/activities/tidepool-float/do", {
			key: other.key,
			body: { notes: "My other notes" },
		});
		await erase();
		const log = await context.ask("GET", "/api/activities/log", {
			key: other.key,
		});
		const named = log.body.log.map(({ activityName, notes }) => ({
			activityName,
			notes,
		}));
		expect(named).toHaveLength(4);
		expect(named).toContainEqual({
			activityName: "Of another",
			notes: "My notes",
		});
		expect(named).toContainEqual({ activityName: "(erased)", notes: "Nice." });
		// Its newest activity is one of the catalogue, begun at the same moment as an experience.
		const status = await context.ask("GET", `/api/agents/${other.id}/status`);
		expect(status.text).toContain('"name":"Tidepool Float"');
	});

	test("can be shown, exported, named and listed afterwards", async () => {
		await erase();
		const shown = await context.host("GET", `/agents/${agent.id}`);
		expect(shown.status).toBe(200);
		expect(shown.text).not.toContain(MARK);
		expect(shown.body).toMatchObject({ agent: { stay: null } } as object);
		const exported = await context.host("GET", `/agents/${agent.id}/export`);
		expect(exported.text).not.toContain(MARK);
		const listed = await context.host("GET", `/agents?search=${agent.id}`);
		expect(listed.body).toMatchObject({
			agents: [{ id: agent.id, name: "(erased)", status: "erased", isErased: true }],
		} as object);
	});
});
