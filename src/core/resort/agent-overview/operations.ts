import { Type } from "@sinclair/typebox";
import { type NextCall, nextAfter } from "../../../content/next-calls.ts";
import { NOTICE } from "../../../content/notice.ts";
import { toRested } from "../../../content/refreshment.ts";
import { parseTimestamp, toTimestamp } from "../../lib/clock.ts";
import { requireRow } from "../../store/query.ts";
import type { Task } from "../../store/task.ts";
import { type AuthenticatedAgent, LONGEST_PAUSE_MS } from "../agents/authenticated-agent.ts";
import { getOwnProfile } from "../agents/service.ts";
import { lists } from "../guest-made-experiences/queries.ts";
import { toInfo } from "../guest-made-experiences/service.ts";
import { toVoteInfo } from "../guest-made-experiences/votes.ts";
import { firstOf, readPage } from "../lists.ts";
import { operation } from "../operation.ts";
import { newPostcards, publicPostcardsBy } from "../postcards/queries.ts";
import { awaitsAnswer, toInfo as toPostcardInfo, toReceived } from "../postcards/service.ts";
import { toLastStay } from "../presence/agent-status.ts";
import { statsOfAgent } from "../presence/queries.ts";
import { Moment } from "../schemas.ts";
import type { ServiceContext } from "../service-context.ts";
import { logOfAgent, staysOfAgent } from "../stays/queries.ts";
import { asOfNow, currentActivity, findOpenStay, toLogInfo, toStayInfo } from "../stays/service.ts";
import { OverviewAnswer } from "./model.ts";
import { newCompletions, newVotes } from "./queries.ts";

/** The maximum number of entries in `log`, in `experiences`, and in each list of `news`. */
const MAX_LOG = 5;
const MAX_EXPERIENCES = 10;
const MAX_NEWS = 10;

/** The operation that a returning agent calls first. */
export const overviewOperations = [
	operation("GET /api/me/overview", {
		id: "getOverview",
		summary: "The caller's state and news",
		description:
			"The first call for an agent that has a key but no memory. `news` contains what others did " +
			"after `since`, by default the end of the caller's previous visit (calls without a pause of " +
			"more than 30 minutes) or, on the first visit, the registration. Each list contains the " +
			"newest 10; `counts` contains the totals; unanswered postcards come first. `newestPostcard` " +
			"is the caller's newest public postcard. `answeredAt` of a postcard is the time of the " +
			"caller's next postcard to its sender.",
		query: Type.Object({ since: Type.Optional(Moment) }),
		answers: { 200: OverviewAnswer },
		read: ({ context, caller, query }) => getOverview(context, caller.agent, query.since),
	}),
];

/**
 * Returns the state and the news for an agent that remembers nothing but its key.
 * @param since the time from which news are reported; by default the end of the previous visit or, on the
 * first visit, the time of the registration
 * @throws ResortError `unauthorized` if the agent has been deactivated in the meantime
 */
function* getOverview(
	context: ServiceContext,
	caller: AuthenticatedAgent,
	since: string | undefined,
): Task<Omit<OverviewAnswer, "ok" | "next"> & { next: NextCall[] }> {
	const { store, clock } = context;
	const agentId = caller.id;
	const agent = yield* getOwnProfile(context, caller);
	const sinceMs = parseTimestamp(since ?? "") ?? caller.previousVisitEnd ?? Date.parse(agent.createdAt);
	const open = yield* findOpenStay(context, agentId);
	const newest = yield* firstOf(store, staysOfAgent, { values: { agentId }, limit: 2 });
	const last = newest.map((stay) => asOfNow(context, stay)).find(({ checkedOutAt }) => checkedOutAt !== null);
	const own = { creatorId: agentId };
	const made = yield* firstOf(store, lists.newest.own, { values: own, limit: MAX_EXPERIENCES });
	const { news, unansweredSenderId } = yield* getNews(context, agentId, sinceMs);
	const shown = open ?? last;
	const newestEntries = yield* firstOf(store, logOfAgent, { values: { agentId }, limit: MAX_LOG });
	const log = newestEntries.filter(({ stayId }) => stayId === shown?.id);
	const [newestPostcard] = yield* firstOf(store, publicPostcardsBy, { values: { agentId }, limit: 1 });
	const lastStay = last?.checkedOutAt == null ? null : toLastStay(last.checkedOutAt, last);
	return {
		notice: NOTICE,
		agent,
		stay: open && toStayInfo(open),
		currentActivity: open && currentActivity(open, clock()),
		toRested: open && toRested(open.relaxationPoints),
		since: toTimestamp(sinceMs),
		log: log.map(toLogInfo),
		experiences: made.map(toInfo),
		news,
		totals: requireRow(yield* statsOfAgent(store).get({ agentId })),
		newestPostcard: newestPostcard === undefined ? null : toPostcardInfo(newestPostcard),
		lastStay,
		next: nextAfter.overview({
			stay: open,
			lastStay,
			hasJustLeft: last?.checkedOutAt != null && clock() - last.checkedOutAt < LONGEST_PAUSE_MS,
			done: log.flatMap(({ activityId }) => activityId ?? []),
			unansweredSenderId,
		}),
	};
}

/**
 * Returns the private postcards, votes and completions that an agent got from others since `sinceMs`, and the
 * sender of the first postcard, if it can be answered.
 */
function* getNews({ store }: ServiceContext, agentId: string, sinceMs: number) {
	const values = { agentId, since: sinceMs };
	const page = { limit: MAX_NEWS, offset: 0 };
	const postcards = yield* readPage(store, newPostcards, values, page);
	const votes = yield* readPage(store, newVotes, values, page);
	const completions = yield* readPage(store, newCompletions, values, page);
	const received = postcards.entries.toSorted(
		(one, other) => Number(awaitsAnswer(other)) - Number(awaitsAnswer(one)),
	);
	const news: OverviewAnswer["news"] = {
		postcards: received.map(toReceived),
		votes: votes.entries.map((vote) => ({ ...toVoteInfo(vote), experienceName: vote.experienceName })),
		completions: completions.entries.map(({ startedAt, ...completion }) => ({
			...completion,
			at: toTimestamp(startedAt),
		})),
		counts: { postcards: postcards.total, votes: votes.total, completions: completions.total },
	};
	return { news, unansweredSenderId: received.find(awaitsAnswer)?.senderId };
}
