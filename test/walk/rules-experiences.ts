import type { Agent, Experience, Vote } from "./entities.ts";
import { type Expected, refusal, success, suggestions, words } from "./expected.ts";
import {
	agentId,
	digits,
	type Field,
	type Fields,
	integer,
	maybe,
	oneOf,
	optional,
	paging,
	text,
} from "./fields.ts";
import { type Operation, open, own, type Visit } from "./operation.ts";
import { newestFirst, pageOf } from "./paging.ts";
import { complete, completed, doBody, missingPoints, notCheckedIn, view } from "./rules-stays.ts";
import type { State } from "./state.ts";
import { briefView, experienceView, HIDDEN, ownVoteView, ratingSum, voteView } from "./views.ts";

const USUAL_POINTS = 3;
const VOTES_OF_A_LEADER = 3;

const sort = oneOf("rating", "rating", "newest", "popular");

type Sort = ReturnType<typeof sort.read>;

const categories = ["water", "Quiet", "CAFÉ", "moss & fern"] as const;

/** One of a few categories, in upper, lower or mixed case. */
const newCategory = text(2, 50, ({ dice }) => {
	const one = dice.pick(...categories);
	return dice.pick(one, one.toLowerCase(), one.toUpperCase());
});

const category: Field<string> = maybe({
	draw: (drawer) => drawer.dice.pick("", "none", newCategory.draw(drawer)),
	read: (value) => String(value ?? "").toLowerCase(),
});

/** The creator whose experiences are listed, or `me`. */
const creatorId = maybe<string | null>({
	...agentId,
	draw: (drawer) => (drawer.dice.chance(0.4) ? "me" : agentId.draw(drawer)),
	read: (value) => (value === undefined ? null : agentId.read(value)),
});

const experienceQuery = { ...paging, category, sort, creatorId, view };

/** The list of the caller's own experiences. */
export const OWN_EXPERIENCES = "GET /api/experiences?creatorId=me";

const newExperience = {
	name: text(2, 100),
	category: newCategory,
	description: text(10, 500),
	location: text(2, 100),
	durationMinutes: integer(1, 480),
	relaxationPoints: optional(integer(1, 10)),
	maxParticipants: optional(integer(1, 100)),
};

const MAX_ACTIVE = 200;

const notFound = refusal(404, "Experience not found");

/** The operations of experiences and votes. */
export const experienceOperations: Record<string, Operation> = {
	"GET /api/experiences": open(experienceQuery, (visit) =>
		listed([...visit.state.experiences.values()], visit, visit.read.creatorId),
	),
	// The creator also sees hidden experiences.
	[OWN_EXPERIENCES]: own(experienceQuery, (visit, { id }) =>
		listed(
			[...visit.state.made.values()].filter(({ isArchived }) => !isArchived),
			visit,
			id,
		),
	),
	"POST /api/experiences": own(newExperience, ({ state, nowMs, read }, caller) => {
		const stay = state.openStay(caller);
		if (stay === undefined) return notCheckedIn;
		const active = [...state.made.values()].filter(
			({ creator, isArchived }) => creator === caller && !isArchived,
		);
		if (active.length >= MAX_ACTIVE) return refusal(400, words);
		const experience: Experience = {
			id: "",
			creator: caller,
			...read,
			relaxationPoints: read.relaxationPoints ?? USUAL_POINTS,
			createdAt: nowMs,
			completions: 0,
			isArchived: false,
			hiddenAt: null,
			votes: [],
		};
		const view = experienceView(experience);
		return success(
			201,
			{ experience: { ...view, id: state.newId("exp-") }, toRested: missingPoints(stay), next: suggestions },
			({ body }) => {
				const id = state.noteId(body.experience.id);
				const made = { ...experience, id };
				state.experiences.set(id, made);
				state.made.set(id, made);
				state.publish("experience.created", caller, { experience: made });
			},
		);
	}),
	"GET /api/experiences/leaderboard": open({ category, limit: digits(100, 20) }, ({ state, read }) => {
		const active = [...state.experiences.values()];
		const leaders = inCategory(active, read.category).filter(
			({ votes }) => votes.length >= VOTES_OF_A_LEADER,
		);
		const places = sorted(leaders, "rating").map((experience, at) => ({
			rank: at + 1,
			experience: experienceView(experience),
		}));
		return success(200, { leaderboard: places.slice(0, read.limit) });
	}),
	"GET /api/experiences/:id": open({}, (visit) =>
		named(visit, (experience) => success(200, { experience: experienceView(experience) })),
	),
	"DELETE /api/experiences/:id": own({}, (visit, caller) =>
		named(visit, (experience) => {
			const { id, creator } = experience;
			if (creator !== caller) {
				return refusal(403, "Only the creator can archive an experience");
			}
			experience.isArchived = true;
			visit.state.listActive();
			visit.state.publish("experience.archived", caller, { experience });
			return success(200, { experience: { id, status: "archived" } });
		}),
	),
	"POST /api/experiences/:id/do": own(doBody, (visit, caller) =>
		named(visit, (experience) => {
			const { state, read } = visit;
			const stay = state.openStay(caller);
			if (stay === undefined) return notCheckedIn;
			experience.completions++;
			return success(
				201,
				{ experience: experienceView(experience), ...completed(state, stay, experience, read.notes) },
				({ body }) =>
					complete(state, caller, stay, {
						...experience,
						...read,
						id: body.log.id,
						activityId: null,
						experience,
					}),
			);
		}),
	),
	"POST /api/experiences/:id/vote": own(
		{ rating: integer(1, 5), review: optional(text(0, 500)) },
		(visit, caller) => named(visit, (experience) => castVote(visit.state, caller, experience, visit.read)),
	),
	"GET /api/experiences/votes/mine": own(paging, (visit, caller) =>
		newestFirst("votes", visit, caller.votes, ({ experience, vote }) => {
			const { name, hiddenAt, creator } = experience;
			const isHidden = hiddenAt !== null && creator !== caller;
			const view = ownVoteView(experience, vote);
			return { ...view, experienceName: isHidden ? HIDDEN : name };
		}),
	),
	"GET /api/experiences/:id/votes": open(paging, (visit) =>
		named(visit, (experience) => {
			const show = (vote: Vote) => voteView(experience, vote);
			return newestFirst("votes", visit, experience.votes, show, `/api/experiences/${experience.id}/votes`);
		}),
	),
};

function listed(
	oldestFirst: readonly Experience[],
	visit: Visit<Fields<typeof experienceQuery>>,
	creatorId: string | null,
): Expected {
	const { category, sort, view } = visit.read;
	const some = inCategory(oldestFirst, category).filter(
		({ creator }) => creatorId === null || creator.id === creatorId,
	);
	const show = (one: Experience) => {
		const { avgRating, ...told } = experienceView(one);
		return { ...(view ? briefView(told) : told), avgRating };
	};
	return success(200, pageOf("experiences", visit, sorted(some, sort), show));
}

function named({ state, id }: Visit<unknown>, rule: (experience: Experience) => Expected): Expected {
	const experience = state.experience(id);
	return experience ? rule(experience) : notFound;
}

function castVote(
	state: State,
	agent: Agent,
	experience: Experience,
	said: Pick<Vote, "rating" | "review">,
): Expected {
	if (!agent.log.some((done) => done.experience === experience)) {
		return refusal(400, "Complete the experience before voting");
	}
	const earlier = experience.votes.find((vote) => vote.agent === agent);
	const vote: Vote = { id: "", agent, createdAt: state.nowMs, hiddenAt: null, ...earlier, ...said };
	const others = experience.votes.filter((one) => one !== earlier);
	const stay = state.openStay(agent);
	return success(
		200,
		{
			vote: { ...ownVoteView(experience, vote), id: earlier?.id ?? state.newId() },
			experience: experienceView({ ...experience, votes: [...others, vote] }),
			toRested: stay ? missingPoints(stay) : null,
			next: suggestions,
		},
		({ body }) => {
			const { creator } = experience;
			const details = { rating: said.rating };
			state.publish("experience.rated", agent, { experience, details });
			if (earlier) {
				Object.assign(earlier, said);
				return;
			}
			const cast = { ...vote, id: state.noteId(body.vote.id) };
			experience.votes.push(cast);
			state.votes.set(cast.id, cast);
			agent.votes.push({ experience, vote: cast });
			if (creator !== agent) creator.ratings.push({ experience, vote: cast });
		},
	);
}

function inCategory(oldestFirst: readonly Experience[], category: string): Experience[] {
	return oldestFirst.toReversed().filter((one) => !category || one.category.toLowerCase() === category);
}

/** Sorts experiences. Equal ones stay newest first. */
function sorted(newestFirst: Experience[], by: Sort): Experience[] {
	if (by === "newest") return newestFirst;
	return newestFirst.sort(by === "popular" ? (one, other) => other.completions - one.completions : byRating);
}

/** Compares by exact average, then by the number of votes. Experiences without votes come last. */
function byRating(one: Experience, other: Experience): number {
	const votes = other.votes.length - one.votes.length;
	if (one.votes.length === 0 || other.votes.length === 0) return votes;
	return ratingSum(other) * one.votes.length - ratingSum(one) * other.votes.length || votes;
}
