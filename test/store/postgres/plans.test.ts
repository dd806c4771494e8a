import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	authenticatedAgentRow,
	keyById,
} from "../../../src/resort/agents/queries.ts";
import {
	completionOf,
	experienceById,
	leaderboards,
	lists,
	votesOfAgent,
	votesOfExperience,
} from "../../../src/resort/experiences/queries.ts";
import {
	logOfStay,
	newCompletions,
	newPostcards,
	newVotes,
} from "../../../src/resort/overview/queries.ts";
import {
	publicPostcards,
	sentBy,
	sentTo,
} from "../../../src/resort/postcards/queries.ts";
import {
	departures,
	guestsBefore,
	statsOfAgent,
	statusAgent,
	statusStay,
} from "../../../src/resort/presence/queries.ts";
import { sessionByToken } from "../../../src/resort/sessions/queries.ts";
import {
	logOfAgent,
	newestStay,
	openStay,
	openUntil,
	staysOfAgent,
	takenNumbers,
} from "../../../src/resort/stays/queries.ts";
import type { ListQueries } from "../../../src/store/list-query.ts";
import { readAddress } from "../../../src/store/postgres/credentials.ts";
import {
	openSession,
	type PostgresSession,
} from "../../../src/store/postgres/postgres-session.ts";
import { toPostgres } from "../../../src/store/postgres/statements.ts";
import {
	abandonOldest,
	deleteOldest,
	deliveriesOfWebhook,
	deliveryById,
	firstDue,
	oldestWaiting,
	webhookById,
	webhooksOfAgent,
} from "../../../src/webhooks/queries.ts";
import { asked } from "./asked.ts";
import {
	describeOnPostgres,
	openDatabase,
	type TestDatabase,
} from "./database.ts";
import { fill } from "./fill.ts";

/** Few, so that the test is quick; the plans are the same with 100,000. */
const AGENTS = 5_000;

const values = {
	...{ agentId: "a", id: "a", keyId: "k", tokenHash: new Uint8Array(32) },
	...{ limit: 20, offset: 0, openSince: 0, latest: 0, roomType: "r" },
	...{ checkedInAt: 0, checkedOutAt: 0, seq: 0 },
	...{ category: "c", creatorId: "a", experienceId: "e" },
	...{ stayId: "s", since: 0, webhookId: "w" },
};

type Question = Parameters<typeof asked>[0];
const textOf = (question: Question) => asked(question, values).text;
const textOfCount = ({ count }: Pick<ListQueries<unknown>, "count">) =>
	textOf((store) => ({ all: (given) => count(store).get(given) }));

/** What may be asked often or grows with the house, and the index that alone must find or order it. */
const searched: [name: string, text: string, index: string][] = [
	["status: agent", textOf(statusAgent), "agents_id_unique"],
	["status: stay", textOf(statusStay), "stays_pkey"],
	["a call: agent", textOf(authenticatedAgentRow), "agents_id_unique"],
	["a call: key", textOf(keyById), "api_keys_pkey"],
	["a call: session", textOf(sessionByToken), "sessions_pkey"],
	["open stay", textOf(openStay), "stays_one_open_per_agent"],
	["newest stay", textOf(newestStay), "stays_by_agent"],
	["stays", textOf(staysOfAgent.rows), "stays_by_agent"],
	["stats", textOf(statsOfAgent), "stays_by_agent"],
	// Both indexes hold open stays alone; which one costs less depends on how full the house is.
	["room numbers", textOf(takenNumbers), "stays_open_by_(room|check_in)"],
	["overdue stays", textOf(openUntil), "stays_open_by_check_in"],
	["guests today", textOf(guestsBefore), "stays_open_by_check_in"],
	["departures today", textOf(departures), "stays_closed_by_check_out"],
	["log", textOf(logOfAgent.rows), "activity_log_by_agent"],
	["log of a stay", textOf(logOfStay), "activity_log_by_agent"],
	["new postcards", textOf(newPostcards.rows), "postcards_by_recipient"],
	["completion", textOf(completionOf), "activity_log_by_experience"],
	["public postcards", textOf(publicPostcards.rows), "postcards_public"],
	["sent postcards", textOf(sentBy.rows), "postcards_by_sender"],
	["inbox", textOf(sentTo.rows), "postcards_by_recipient"],
	["by rating", textOf(lists.rating.all.rows), "experiences_by_rating"],
	["by creation", textOf(lists.newest.all.rows), "experiences_by_creation"],
	["popular", textOf(lists.popular.all.rows), "experiences_by_popularity"],
	[
		"category by rating",
		textOf(lists.rating.category.rows),
		"experiences_in_category_by_rating",
	],
	[
		"category by creation",
		textOf(lists.newest.category.rows),
		"experiences_in_category_by_creation",
	],
	[
		"category, popular",
		textOf(lists.popular.category.rows),
		"experiences_in_category_by_popularity",
	],
	[
		"creator by creation",
		textOf(lists.newest.creator.rows),
		"experiences_by_creator",
	],
	["leaderboard", textOf(leaderboards.all.rows), "experiences_ranked"],
	[
		"leaderboard of a category",
		textOf(leaderboards.category.rows),
		"experiences_in_category_ranked",
	],
	["experience", textOf(experienceById), "experiences_id_unique"],
	["votes", textOf(votesOfExperience.rows), "experience_votes_by_experience"],
	["own votes", textOf(votesOfAgent.rows), "experience_votes_by_agent"],
	["own webhooks", textOf(webhooksOfAgent), "webhooks_by_agent"],
	["webhook", textOf(webhookById), "webhooks_id_unique"],
	["delivery", textOf(deliveryById), "webhook_deliveries_id_unique"],
	["next delivery", textOf(firstDue), "webhook_deliveries_due"],
	["oldest delivery", textOf(oldestWaiting), "webhook_deliveries_oldest"],
	["deliveries", textOf(deliveriesOfWebhook), "webhook_deliveries_by_webhook"],
	["too many that wait", textOf(abandonOldest), "webhook_deliveries_waiting"],
	["too many that are done", textOf(deleteOldest), "webhook_deliveries_done"],
];

/** Orders in which no index has the few experiences of one creator: these are sorted. */
const sorted: [name: string, text: string][] = (
	["rating", "popular"] as const
).flatMap((order) => [
	[`creator by ${order}`, textOf(lists[order].creator.rows)],
	[`creator and category by ${order}`, textOf(lists[order].both.rows)],
]);

/** Of the caller's experiences, which are few, each is searched for what is new; that is sorted. */
const news: [name: string, text: string, index: string][] = [
	["new votes", textOf(newVotes.rows), "experience_votes_by_experience"],
	["count of votes", textOfCount(newVotes), "experience_votes_by_experience"],
	[
		"new completions",
		textOf(newCompletions.rows),
		"activity_log_of_experience",
	],
	[
		"count of completions",
		textOfCount(newCompletions),
		"activity_log_of_experience",
	],
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

	async function planOf(text: string): Promise<string> {
		const numbered = toPostgres(text);
		const count = numbered.match(/\$\d+/g)?.length ?? 0;
		await session.runScript(`prepare one as ${numbered}`);
		const rows = await session.runScript(
			`explain (costs off) execute one (${Array(count).fill("null").join()})`,
		);
		await session.runScript("deallocate one");
		return rows.map((row) => row["QUERY PLAN"]).join("\n");
	}

	test.each(searched)(
		"%s: one index, without a scan or sort of the table",
		async (_, text, index) => {
			const plan = await planOf(text);
			expect(plan).toMatch(
				new RegExp(`Index (Only )?Scan.* (using|on) ${index}\\b`),
			);
			// The rows of a page, which are read by their keys, may be put in order again.
			expect(plan).not.toMatch(/Seq Scan|(?<!Incremental )Sort$/m);
			if (plan.includes("Sort")) expect(plan).toMatch(/Sort.*-> {2}Limit/s);
		},
	);

	test.each(news)("%s: searches each experience", async (_, text, index) => {
		const plan = await planOf(text);
		expect(plan).toMatch(/Scan.* (using|on) experiences_by_creator/);
		expect(plan).toMatch(new RegExp(`Scan.* (using|on) ${index}\\b`));
		expect(plan).not.toContain("Seq Scan");
	});

	test.each(sorted)("%s: sorts only the creator's own", async (_, text) => {
		const plan = await planOf(text);
		expect(plan).toMatch(/Sort/);
		expect(plan).toMatch(/Scan.* (using|on) experiences_by_creator/);
		expect(plan).not.toContain("Seq Scan");
	});
});
