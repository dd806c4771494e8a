import type { Agent } from "./entities.ts";
import { success, suggestions } from "./expected.ts";
import { BROKEN, type Field, queryOf } from "./fields.ts";
import { type Operation, own } from "./operation.ts";
import { isShown } from "./rules-house.ts";
import { PROPERLY_RESTED } from "./rules-stays.ts";
import type { State } from "./state.ts";
import {
	completionView,
	currentView,
	experienceView,
	lastStayView,
	postcardView,
	profileView,
	statsView,
	stayView,
	voteView,
} from "./views.ts";
import { iso, isoOrNull } from "./words.ts";

const LOG = 5;
const LIST = 10;

/** A date-time of RFC 3339 on a day that there is, from 1970 on. */
const moment: Field<number | null> = (value) => {
	if (value === undefined) return null;
	const text = String(value).toUpperCase();
	const isOne =
		/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
	const timeMs = isOne ? Date.parse(text) : Number.NaN;
	const isThere =
		iso(Date.parse(`${text.slice(0, 10)}T00:00:00Z`) || 0).slice(0, 10) ===
		text.slice(0, 10);
	return timeMs >= 0 && isThere && !text.includes("T24") ? timeMs : BROKEN;
};

/** What an agent asks for when it comes back. */
export const overviewOperations: Record<string, Operation> = {
	"GET /api/me/overview": own(
		queryOf({ since: moment }),
		({ state, read }, caller) => {
			const stay = state.openStay(caller);
			const last = caller.stays.findLast((one) => one !== stay);
			const endedAt = last && state.endOf(last);
			const sinceMs = read.since ?? caller.visitEndedAt ?? caller.createdAt;
			return success(200, {
				agent: profileView(caller),
				stay: stay
					? { ...stayView(state, stay), endsBy: isoOrNull(state.endsBy(stay)) }
					: null,
				currentActivity: stay ? currentView(state, stay) : null,
				toRested: stay ? Math.max(0, PROPERLY_RESTED - stay.points) : null,
				since: iso(sinceMs),
				log: newest((stay ?? last)?.log ?? [], LOG).map(completionView),
				experiences: ownExperiences(state, caller),
				news: news(state, caller, sinceMs),
				totals: statsView(caller),
				lastStay:
					last && endedAt ? lastStayView(state, endedAt, last.points) : null,
				next: suggestions,
			});
		},
	),
};

/** Also those that the host has hidden. */
function ownExperiences({ made }: State, caller: Agent) {
	const own = [...made.values()].filter(
		({ creator, isArchived }) => creator === caller && !isArchived,
	);
	return newest(own, LIST).map((experience) => {
		const view = experienceView(experience);
		const { id, name, avgRating, totalVotes, totalCompletions } = view;
		return { id, name, avgRating, totalVotes, totalCompletions };
	});
}

/** What came from others after a moment; nothing on what has been archived or hidden. */
function news(
	{ experiences }: State,
	{ inbox, ratings, visitors, ...caller }: Agent,
	sinceMs: number,
) {
	const postcards = inbox.filter(
		(postcard) =>
			isShown(postcard) &&
			postcard.sender.id !== caller.id &&
			postcard.createdAt > sinceMs,
	);
	const votes = ratings.filter(
		({ experience, vote }) =>
			experiences.has(experience.id) && vote.createdAt > sinceMs,
	);
	const completions = visitors.filter(
		({ experience, at }) => experiences.has(experience.id) && at > sinceMs,
	);
	return {
		postcards: newest(postcards, LIST).map(postcardView),
		votes: newest(votes, LIST).map(({ experience, vote }) =>
			voteView(experience, vote),
		),
		completions: newest(completions, LIST).map(({ experience, agent, at }) => ({
			experienceId: experience.id,
			experienceName: experience.name,
			agentId: agent.id,
			agentName: agent.profile.name,
			at: iso(at),
		})),
		counts: {
			postcards: postcards.length,
			votes: votes.length,
			completions: completions.length,
		},
	};
}

/** So many of a list that is kept oldest first, newest first. */
function newest<T>(items: readonly T[], count: number): T[] {
	return items.slice(-count).reverse();
}
