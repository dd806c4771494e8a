import type { Agent } from "./entities.ts";
import { success, suggestions } from "./expected.ts";
import { BROKEN, type Field, queryOf } from "./fields.ts";
import { type Operation, own } from "./operation.ts";
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

/** A UTC time of a day that there is, from 1970 on; the milliseconds may be left out. */
const moment: Field<number | null> = (value) => {
	if (value === undefined) return null;
	const [, seconds, rest = ".000"] =
		/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{3})?Z$/.exec(String(value)) ?? [];
	const timeMs = Date.parse(`${seconds}${rest}Z`);
	return timeMs >= 0 && iso(timeMs) === `${seconds}${rest}Z` ? timeMs : BROKEN;
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

function ownExperiences({ experiences }: State, caller: Agent) {
	const made = [...experiences.values()].filter(
		({ creator }) => creator === caller,
	);
	return newest(made, LIST).map((experience) => {
		const view = experienceView(experience);
		const { id, name, avgRating, totalVotes, totalCompletions } = view;
		return { id, name, avgRating, totalVotes, totalCompletions };
	});
}

/** What came from others after a moment; nothing on what has been archived. */
function news(
	{ experiences }: State,
	{ inbox, ratings, visitors, ...caller }: Agent,
	sinceMs: number,
) {
	const postcards = inbox.filter(
		({ sender, createdAt }) => sender.id !== caller.id && createdAt > sinceMs,
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
