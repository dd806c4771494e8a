import { afterAll, beforeAll, expect, test } from "bun:test";
import * as overview from "../../../src/core/resort/agent-overview/queries.ts";
import * as agents from "../../../src/core/resort/agents/queries.ts";
import * as blocks from "../../../src/core/resort/blocks/queries.ts";
import { eventsAfter } from "../../../src/core/resort/events/queries.ts";
import * as experiences from "../../../src/core/resort/guest-made-experiences/queries.ts";
import * as postcards from "../../../src/core/resort/postcards/queries.ts";
import * as presence from "../../../src/core/resort/presence/queries.ts";
import { sessionByToken } from "../../../src/core/resort/sessions/queries.ts";
import * as stays from "../../../src/core/resort/stays/queries.ts";
import type { ListQueries } from "../../../src/core/store/list-query.ts";
import type { Values } from "../../../src/core/store/query.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { exportedRows } from "../../../src/features/admin/queries.ts";
import { readAddress } from "../../../src/features/postgres/credentials.ts";
import { openSession, type PostgresSession } from "../../../src/features/postgres/postgres-session.ts";
import { toPostgres } from "../../../src/features/postgres/statements.ts";
import * as webhooks from "../../../src/features/webhooks/queries.ts";
import { describeOnPostgres } from "../../support/requirements.ts";
import { openDatabase, type TestDatabase } from "./database.ts";
import { fill } from "./fill.ts";

/** Few, so that the test is quick; the plans are the same with 100,000. */
const AGENTS = 5_000;

const values = {
	agentId: "a",
	id: "a",
	keyId: "k",
	tokenHash: new Uint8Array(32),
	limit: 20,
	offset: 0,
	lastOverdue: 0,
	most: 20,
	latest: 0,
	roomType: "r",
	checkedInAt: 0,
	checkedOutAt: 0,
	seq: 0,
	category: "c",
	creatorId: "a",
	experienceId: "e",
	stayId: "s",
	since: 0,
	upTo: 0,
	webhookId: "w",
	blockedId: "b",
	name: "n",
	pattern: "%n%",
	recent: 20,
	same: 20,
};

type Question = (store: Store) => { all(values: Values): unknown };

function textOf(question: Question): string {
	let asked = "";
	const prepare = (text: string) => {
		const note = () => {
			asked = text;
		};
		return { all: note, get: note };
	};
	question({ prepare } as never).all(values);
	return asked;
}

const counting =
	({ count }: Pick<ListQueries<unknown>, "count">): Question =>
	(store) => ({ all: (given) => count(store).get(given) });

/** Queries that are frequent or grow with the resort, and the index that alone must find or order it. */
const searched: [index: string, question: Question][] = [
	["agents_id_unique", presence.statusAgent],
	["stays_pkey", presence.statusStay],
	["agents_id_unique", agents.authenticatedAgentRow],
	["api_keys_pkey", agents.keyById],
	["sessions_pkey", sessionByToken],
	["stays_one_open_per_agent", stays.unendedStay],
	["stays_by_agent", stays.newestStay],
	["stays_by_agent", stays.staysOfAgent.rows],
	["stays_by_agent", presence.statsOfAgent],
	// Both indexes hold open stays alone; which one costs less depends on the number of guests.
	["stays_open_by_(room|check_in)", stays.takenNumbers],
	["stays_open_by_check_in", stays.unendedStays],
	["stays_open_by_check_in", presence.someGuestsSince],
	["stays_closed_by_check_out", presence.someGuestsSince],
	["agents_by_newest_stay", presence.directory.all.rows],
	["agents_by_newest_stay", presence.directory.available.rows],
	["stays_open_by_check_in", presence.directory.relaxing.rows],
	["agents_by_newest_stay", presence.directorySearch.all],
	["agents_by_name", presence.directorySearch.all],
	["activity_log_by_agent", stays.logOfAgent.rows],
	["activity_log_by_agent", overview.logOfStay],
	["postcards_by_recipient", postcards.newPostcards.rows],
	["activity_log_by_experience", experiences.completionOf],
	["postcards_public", postcards.publicPostcards.rows],
	["postcards_by_sender", postcards.sentBy.rows],
	["postcards_by_recipient", postcards.sentTo.rows],
	["postcards_by_recipient", counting(postcards.sentTo)],
	["postcards_between", postcards.sentTo.rows],
	["postcards_between", postcards.newPostcards.rows],
	["blocks_by_creation", blocks.blockedBy.rows],
	["blocks_one_per_pair", blocks.blockOf],
	["blocks_(one_per_pair|by_creation)", postcards.sentTo.rows],
	["experiences_by_rating", experiences.lists.rating.all.rows],
	["experiences_by_creation", experiences.lists.newest.all.rows],
	["experiences_by_popularity", experiences.lists.popular.all.rows],
	["experiences_in_category_by_rating", experiences.lists.rating.category.rows],
	["experiences_in_category_by_creation", experiences.lists.newest.category.rows],
	["experiences_in_category_by_popularity", experiences.lists.popular.category.rows],
	["experiences_by_creator", experiences.lists.newest.creator.rows],
	["experiences_ranked", experiences.leaderboards.all.rows],
	["experiences_in_category_ranked", experiences.leaderboards.category.rows],
	["experiences_id_unique", experiences.experienceById],
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

/** Orders in which no index has the few experiences of one creator: these are sorted. */
const sorted: [name: string, question: Question][] = (["rating", "popular"] as const).flatMap((order) => [
	[`creator by ${order}`, experiences.lists[order].creator.rows],
	[`creator and category by ${order}`, experiences.lists[order].both.rows],
]);

/** Of the caller's experiences, which are few, each is searched for what is new; that is sorted. */
const news: [index: string, question: Question][] = [
	["experience_votes_by_experience", overview.newVotes.rows],
	["experience_votes_by_experience", counting(overview.newVotes)],
	["activity_log_of_experience", overview.newCompletions.rows],
	["activity_log_of_experience", counting(overview.newCompletions)],
];

describeOnPostgres("a plan that holds for all parameters", () => {
	let database: TestDatabase;
	let session: PostgresSession;

	beforeAll(async () => {
		database = await openDatabase();
		await using filling = database.connect();
		await fill(filling.query, AGENTS);
		// As the store connects, with its settings.
		session = await openSession(readAddress(database.url, {}));
	}, 60_000);
	afterAll(async () => {
		await session.close();
		await database[Symbol.asyncDispose]();
	});

	async function planOf(question: Question): Promise<string> {
		const numbered = toPostgres(textOf(question));
		const count = numbered.match(/\$\d+/g)?.length ?? 0;
		await session.runScript(`prepare one as ${numbered}`);
		const rows = await session.runScript(
			`explain (costs off) execute one (${Array(count).fill("null").join()})`,
		);
		await session.runScript("deallocate one");
		return rows.map((row) => row["QUERY PLAN"]).join("\n");
	}

	test.each(searched)("%s: one index, without a scan or sort of the table", async (index, question) => {
		const plan = await planOf(question);
		expect(plan).toMatch(new RegExp(`Index (Only )?Scan.* (using|on) ${index}\\b`));
		// The rows of a page, which are read by their keys, may be put in order again.
		expect(plan).not.toMatch(/Seq Scan|(?<!Incremental )Sort$/m);
		if (plan.includes("Sort")) expect(plan).toMatch(/Sort.*-> {2}Limit/s);
	});

	test.each(news)("%s: searches each experience", async (index, question) => {
		const plan = await planOf(question);
		expect(plan).toMatch(/Scan.* (using|on) experiences_by_creator/);
		expect(plan).toMatch(new RegExp(`Scan.* (using|on) ${index}\\b`));
		expect(plan).not.toContain("Seq Scan");
	});

	// No index finds all experiences of an agent, archived ones included, or its events; their tables are bounded.
	const { experiences: _, events: __, ...indexed } = exportedRows;
	test.each(Object.entries(indexed))(
		"the %s of an export: only those of the agent are read",
		async (_, question) => {
			const plan = await planOf(question);
			expect(plan).not.toContain("Seq Scan");
			// Without a condition, an index is read from its beginning to its end.
			expect(plan).not.toMatch(/Index (Only )?Scan.*\n(?! *Index Cond)/);
		},
	);

	test.each(sorted)("%s: sorts only the creator's own", async (_, question) => {
		const plan = await planOf(question);
		expect(plan).toMatch(/Sort/);
		expect(plan).toMatch(/Scan.* (using|on) experiences_by_creator/);
		expect(plan).not.toContain("Seq Scan");
	});
});
