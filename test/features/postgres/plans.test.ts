import { afterAll, beforeAll, expect, test } from "bun:test";
import { loadPersonalTables } from "../../../src/cli/features.ts";
import * as overview from "../../../src/core/resort/agent-overview/queries.ts";
import * as agents from "../../../src/core/resort/agents/queries.ts";
import * as blocks from "../../../src/core/resort/blocks/queries.ts";
import { eventsAfter } from "../../../src/core/resort/events/queries.ts";
import * as experiences from "../../../src/core/resort/guest-made-experiences/queries.ts";
import * as postcards from "../../../src/core/resort/postcards/queries.ts";
import * as presence from "../../../src/core/resort/presence/queries.ts";
import { sessionByToken } from "../../../src/core/resort/sessions/queries.ts";
import * as stays from "../../../src/core/resort/stays/queries.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { createPersonalData } from "../../../src/features/admin/queries.ts";
import { readAddress } from "../../../src/features/postgres/credentials.ts";
import { openSession, type PostgresSession } from "../../../src/features/postgres/postgres-session.ts";
import { toPostgres } from "../../../src/features/postgres/statements.ts";
import * as webhooks from "../../../src/features/webhooks/queries.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { fill } from "./fill.ts";
import { connectTo, newDatabase } from "./support/shared.ts";

const { exportedRows } = createPersonalData(await loadPersonalTables());

/** A small number, so that the test is fast. The plans are the same with 100,000 agents. */
const AGENTS = 5_000;

type Query = (store: Store) => unknown;

function textOf(query: Query): string {
	const texts: string[] = [];
	query({ prepare: (text: string) => texts.push(text) } as never);
	return texts.join();
}

/** The indexes by which frequent queries, or queries of growing tables, must find and sort their rows. */
const searched: [index: string, ...queries: Query[]][] = [
	["agents_id_unique", presence.agentWithStay, agents.authenticatedAgentRow],
	[
		"agents_by_newest_stay",
		presence.someGuests,
		presence.directory.all.rows,
		presence.directory.available.rows,
	],
	["api_keys_pkey", agents.keyById],
	["sessions_pkey", sessionByToken],
	["stays_pkey", presence.agentWithStay],
	["stays_one_open_per_agent", stays.unendedStay],
	["stays_by_agent", stays.newestStay, stays.staysOfAgent.rows, presence.statsOfAgent],
	// Both indexes contain only open stays. Which of them is cheaper depends on the number of guests.
	["stays_open_by_room or stays_open_by_check_in", stays.takenNumbers],
	["stays_open_by_check_in", presence.someGuestsSince, presence.directory.relaxing.rows],
	["stays_open_by_end", stays.endingStays],
	["stays_closed_by_check_out", presence.someGuestsSince],
	["activity_log_by_agent", stays.logOfAgent.rows],
	["activity_log_by_experience", experiences.completionOf],
	["postcards_public", postcards.publicPostcards.rows],
	["postcards_by_sender", postcards.sentBy.rows],
	["postcards_by_recipient", postcards.newPostcards.rows, postcards.sentTo.rows, postcards.sentTo.count],
	["postcards_between", postcards.newPostcards.rows, postcards.sentTo.rows],
	["blocks_by_creation", blocks.blockedBy.rows],
	["blocks_one_per_pair", blocks.blockOf],
	["blocks_one_per_pair or blocks_by_creation", postcards.sentTo.rows],
	["experiences_id_unique", experiences.experienceById],
	["experiences_by_rating", experiences.lists.rating.all.rows],
	["experiences_by_creation", experiences.lists.newest.all.rows],
	["experiences_by_popularity", experiences.lists.popular.all.rows],
	["experiences_by_creator", experiences.lists.newest.creator.rows],
	["experiences_in_category_by_rating", experiences.lists.rating.category.rows],
	["experiences_in_category_by_creation", experiences.lists.newest.category.rows],
	["experiences_in_category_by_popularity", experiences.lists.popular.category.rows],
	["experiences_ranked", experiences.leaderboards.all.rows],
	["experiences_in_category_ranked", experiences.leaderboards.category.rows],
	["experience_votes_by_experience", experiences.votesOfExperience.rows],
	["experience_votes_by_agent", experiences.votesOfAgent.rows],
	["webhooks_by_agent", webhooks.webhooksOfAgent],
	["webhooks_id_unique", webhooks.webhookById],
	["webhook_deliveries_id_unique", webhooks.deliveryById],
	["webhook_deliveries_due", webhooks.firstDue],
	["webhook_deliveries_oldest", webhooks.oldestWaiting],
	["webhook_deliveries_by_webhook", webhooks.deliveriesOfWebhook],
	["webhook_deliveries_waiting", webhooks.abandonOldest],
	["webhook_deliveries_done", webhooks.deleteOldest],
	["events_pkey", eventsAfter],
];

/** The indexes by which queries must find a limited number of rows. The queries may sort these rows. */
const sorted: [index: string, ...queries: Query[]][] = [
	["agents_by_newest_stay", presence.directorySearch.all.rows],
	["agents_by_name", presence.directorySearch.all.rows],
	[
		"experiences_by_creator",
		experiences.lists.rating.creator.rows,
		experiences.lists.rating.both.rows,
		experiences.lists.popular.creator.rows,
		experiences.lists.popular.both.rows,
		overview.newVotes.rows,
		overview.newVotes.count,
		overview.newCompletions.rows,
		overview.newCompletions.count,
	],
	// These queries search for the votes or completions of each experience of the caller.
	["experience_votes_by_experience", overview.newVotes.rows, overview.newVotes.count],
	["activity_log_of_experience", overview.newCompletions.rows, overview.newCompletions.count],
];

describeOnPostgres("PostgreSQL", () => {
	let session: PostgresSession;

	beforeAll(async () => {
		await using filling = connectTo(await newDatabase({ withTables: true }));
		await fill(filling.query, AGENTS);
		// The session has the same settings as the connections of the store, because plans depend on the settings.
		session = await openSession(readAddress(filling.url, {}));
	}, 60_000);
	afterAll(() => session.close());

	async function planOf(query: Query): Promise<string> {
		const numbered = toPostgres(textOf(query));
		const count = numbered.match(/\$\d+/g)?.length ?? 0;
		await session.runScript(`prepare one as ${numbered}`);
		const rows = await session.runScript(
			`explain (costs off) execute one (${Array(count).fill("null").join()})`,
		);
		await session.runScript("deallocate one");
		return rows.map((row) => row["QUERY PLAN"]).join("\n");
	}

	test.each(searched)("uses the index %s without scanning or sorting a table", async (index, ...queries) => {
		for (const query of queries) {
			const plan = await planOf(query);
			expect(plan).toMatch(new RegExp(`Index (Only )?Scan.* (using|on) (${index.replace(" or ", "|")})\\b`));
			// Only the rows of one page may be sorted: the rows that a Limit below the Sort returns.
			expect(plan).not.toMatch(/Seq Scan|(?<!Incremental )Sort$/m);
			if (plan.includes("Sort")) expect(plan).toMatch(/Sort.*-> {2}Limit/s);
		}
	});

	test.each(sorted)("uses the index %s without scanning a table", async (index, ...queries) => {
		for (const query of queries) {
			const plan = await planOf(query);
			expect(plan).toMatch(new RegExp(`Scan.* (using|on) ${index}\\b`));
			expect(plan).not.toContain("Seq Scan");
		}
	});

	// Events and experiences are left out, because no index contains all of them for an agent.
	const indexed = Object.entries(exportedRows).filter(([name]) => !/^(experiences|events)$/.test(name));
	test.each(indexed)("reads no rows of other agents to export an agent's `%s`", async (_, query) => {
		const plan = await planOf(query);
		expect(plan).not.toContain("Seq Scan");
		// An index scan without a condition would read the whole index.
		expect(plan).not.toMatch(/Index (Only )?Scan.*\n(?! *Index Cond)/);
	});
});
