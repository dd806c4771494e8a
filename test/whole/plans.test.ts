import { describe, expect, test } from "bun:test";
import { countAgents } from "../../src/core/resort/agents/service.ts";
import { countGuests } from "../../src/core/resort/presence/lobby.ts";
import type { ServiceContext } from "../../src/core/resort/service-context.ts";
import type { Store } from "../../src/core/store/store.ts";
import * as identities from "../../src/features/identity-provider/queries.ts";
import * as webhooks from "../../src/features/webhooks/queries.ts";
import { testSqlite } from "../support/requirements.ts";
import { TestResort } from "../support/resort.ts";
import { notePrepared, planOf, SCAN } from "../support/store.ts";

/** Operations that are frequent, or whose tables grow with the resort, and the indexes that they must use. */
const hot: [method: string, path: string, indexes: string[]][] = [
	["GET", "/api/agents/{id}/status", ["stays USING INTEGER PRIMARY KEY"]],
	["GET", "/api/stays", ["stays_by_agent"]],
	["GET", "/api/stats", ["stays_by_agent"]],
	["GET", "/api/activities/log", ["activity_log_by_agent"]],
	["GET", "/api/me/blocked", ["blocks_by_creation"]],
	["GET", "/api/postcards/inbox", ["postcards_by_recipient", "blocks_one"]],
	["GET", "/api/lobby", ["stays_open_by_check_in", "stays_closed_by_check_out"]],
	[
		"GET",
		"/feed.json",
		[
			"postcards_by_recipient",
			"experiences_by_creation",
			"postcards USING INTEGER PRIMARY KEY",
			"experiences USING INTEGER PRIMARY KEY",
		],
	],
	["GET", "/rooms/owl-hollow", ["stays_open_by_room"]],
	["GET", "/agents/{id}", ["stays_by_agent", "experience_votes_by_agent", "postcards_public_by"]],
	["POST", "/api/activities/tidepool-float/do", ["stays USING INTEGER PRIMARY KEY"]],
];

/** Matches the step of a plan that counts the guests: the scan of an index that contains only open stays. */
const GUESTS = /^SCAN stays USING (COVERING )?INDEX stays_open_by_check_in$/;

/** Functions that query the database for the metrics, with the steps of their query plans. */
const scraped: [name: string, ask: (context: ServiceContext) => unknown, steps: RegExp[]][] = [
	[
		"countGuests",
		(resort) => resort.store.read(() => countGuests(resort)),
		[
			/^CO-ROUTINE some$/,
			GUESTS,
			/^SEARCH agents USING COVERING INDEX agents_by_newest_stay /,
			/^SCAN some$/,
		],
	],
	[
		"countAgents",
		countAgents,
		[/^SEARCH agents$/, /^SEARCH agents USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)$/],
	],
];

test.skipIf(testSqlite.isMissing).each(scraped)(
	`the function %s finds its rows by an index, and prepares each query only once${testSqlite.note}`,
	async (_, ask, steps) => {
		await using context = new TestResort();
		const { sqlite } = context;
		await context.guest();
		const prepared = notePrepared(sqlite);
		expect(await ask(context.context)).toBe(1);
		const plan = prepared.flatMap((query) => planOf(sqlite, query));
		expect(plan).toEqual(steps.map((step) => expect.stringMatching(step)));
		prepared.length = 0;
		expect(await ask(context.context)).toBe(1);
		expect(prepared).toEqual([]);
	},
);

test.skipIf(testSqlite.isMissing).each(hot)(
	`%s %s finds its rows by indexes, without a sort, and prepares each query only once${testSqlite.note}`,
	async (method, path, indexes) => {
		await using context = new TestResort();
		const prepared = notePrepared(context.sqlite);
		const { id, key } = await context.guest();
		await context.me({ key });
		const ask = async () => {
			prepared.length = 0;
			const { status } = await context.call(method, path.replace("{id}", id), { key });
			expect(status).toBeLessThan(300);
		};
		await ask();
		const plan = prepared.flatMap((query) => planOf(context.sqlite, query));
		expect(
			plan,
			"the call prepared no query: an earlier call of this test prepared them all, or its answer was cached",
		).not.toEqual([]);
		expect(plan.filter((step) => SCAN.test(step) && !GUESTS.test(step))).toEqual([]);
		expect(plan.filter((step) => /ORDER BY/.test(step))).toEqual([]);
		for (const index of indexes) expect(plan.join("\n")).toContain(index);
		await ask();
		expect(prepared).toEqual([]);
	},
);

test.skipIf(testSqlite.isMissing)(
	`a check-in finds the open stay of its agent by an index${testSqlite.note}`,
	async () => {
		await using context = new TestResort();
		const { key } = await context.register();
		const prepared = notePrepared(context.sqlite);
		await context.call("POST", "/api/checkin", { key });
		const plans = prepared.map((query) => planOf(context.sqlite, query));
		expect(plans).toContainEqual(["SEARCH stays USING INDEX stays_one_open_per_agent (agent_id=?)"]);
	},
);

/** The necessary scans. Each one reads an index that contains few rows. */
const scansOf: Readonly<Record<string, string>> = {
	activeWebhooks: "SCAN webhooks USING INDEX webhooks_active",
	countActive: "SCAN webhooks USING COVERING INDEX webhooks_active",
	oldestWaiting: "SCAN webhook_deliveries USING INDEX webhook_deliveries_oldest",
};

const prepared = Object.entries({ ...identities, ...webhooks }).flatMap(
	([name, ask]): [string, (store: Store) => unknown][] => (typeof ask === "function" ? [[name, ask]] : []),
);

describe.skipIf(testSqlite.isMissing)(`SQL statements for identities and webhooks${testSqlite.note}`, () => {
	test.each(prepared)("the statement of %s() needs no sort, and no unnecessary scan", async (name, ask) => {
		await using context = new TestResort();
		const statements = notePrepared(context.sqlite);
		ask(context.context.store);
		const [query = "", ...more] = [...statements];
		expect(more).toEqual([]);
		const plan = planOf(context.sqlite, query);
		expect(plan.filter((step) => /ORDER BY/.test(step))).toEqual([]);
		const scans = plan.filter((step) => step.startsWith("SCAN "));
		expect(scans).toEqual([scansOf[name] ?? []].flat());
		if (name === "deleteOldestNonces") expect(plan.join()).toContain("INDEX nonces_by_expiry");
	});
});
