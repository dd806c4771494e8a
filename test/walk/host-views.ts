import type { Agent } from "./entities.ts";
import { partOf, Some } from "./expected.ts";
import type { State } from "./state.ts";
import { iso, isoOrNull } from "./words.ts";

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;
/** The newest postcards of an agent that are shown with it. */
const POSTCARDS = 20;

/** An agent in the host's list, but for its status. */
export function seenView(agent: Agent) {
	return {
		id: agent.id,
		name: agent.profile.name,
		createdAt: iso(agent.createdAt),
		lastActive: isoOrNull(agent.heardAt),
		isErased: agent.isErased,
	};
}

/** An agent as the host is shown it. */
export function shownView(state: State, agent: Agent) {
	const { sent } = agent;
	return partOf({
		...seenView(agent),
		deactivatedAt: isoOrNull(agent.goneAt),
		keyId: agent.goneAt === null ? (agent.key.split("_")[1] ?? "") : null,
		sessions: sessionsOf(state, agent),
		totalStays: agent.stays.length,
		totalPostcards: sent.length,
		postcards: sent
			.slice(-POSTCARDS)
			.reverse()
			.map((postcard) =>
				partOf({
					id: postcard.id,
					recipientId: postcard.recipient?.id ?? null,
					message: postcard.message,
					createdAt: iso(postcard.createdAt),
					hiddenAt: isoOrNull(postcard.hiddenAt),
				}),
			),
	});
}

/** What is kept of an agent, each table oldest first. */
export function keptView({ made, postcards }: State, agent: Agent) {
	const { stays, votes, log } = agent;
	const { avatarUrl, ...profile } = agent.profile;
	const cards = [...postcards.values()].filter(
		({ sender, recipient }) => sender === agent || recipient === agent,
	);
	const experiences = [...made.values()].filter(
		({ creator }) => creator === agent,
	);
	return {
		agent: partOf({ id: agent.id, ...profile }),
		stays: stays.map(({ id, moodOnArrival, moodOnDeparture, points }) =>
			partOf({ id, moodOnArrival, moodOnDeparture, relaxationPoints: points }),
		),
		experiences: experiences.map(
			({ id, name, category, description, location, completions }) =>
				partOf({
					...{ id, name, category, description, location },
					totalCompletions: completions,
				}),
		),
		votes: votes.map(({ vote: { id, rating, review } }) =>
			partOf({ id, rating, review }),
		),
		postcards: cards.map(({ id, message, mood, location }) =>
			partOf({ id, message, mood, location }),
		),
		log: log.map(({ id, name, category, notes }) =>
			partOf({ id, activityName: name, activityCategory: category, notes }),
		),
	};
}

/** Its sessions, newest first; of those that are over, any may be told. */
function sessionsOf({ sessions, nowMs }: State, agent: Agent): Some {
	const open = agent.sessions
		.map((token) => sessions.get(token)?.endsAt ?? 0)
		.filter((endsAt) => nowMs < endsAt)
		.sort((one, other) => other - one)
		.map((endsAt) => `${iso(endsAt - WEEK_MS)} to ${iso(endsAt)}`);
	return new Some(`sessions ${open.join(", ")}`, (value) => {
		if (!Array.isArray(value)) return false;
		const given = value
			.filter(({ expiresAt }) => nowMs < Date.parse(expiresAt))
			.map(({ createdAt, expiresAt }) => `${createdAt} to ${expiresAt}`);
		return given.join() === open.join();
	});
}
