import { iso } from "../support/values.ts";
import type { Agent } from "./entities.ts";
import { partOf, Some } from "./expected.ts";
import { SESSION_MS } from "./rules-agents.ts";
import type { State } from "./state.ts";
import { isoOrNull } from "./views.ts";

const POSTCARDS = 20;

/** Whether an agent relaxes, or why it cannot. */
export function statusOf(state: State, agent: Agent): string {
	if (agent.isErased) return "erased";
	if (agent.goneAt !== null) return "deactivated";
	return state.openStay(agent) ? "relaxing" : "available";
}

/** An agent in the host's list. */
export function listedView(state: State, agent: Agent) {
	return {
		id: agent.id,
		name: agent.profile.name,
		createdAt: iso(agent.createdAt),
		lastActive: isoOrNull(agent.heardAt),
		isErased: agent.isErased,
		status: statusOf(state, agent),
	};
}

/** An agent as the host sees it alone. */
export function hostView(state: State, agent: Agent) {
	const { status: _, ...listed } = listedView(state, agent);
	const { sent, stays, goneAt, key } = agent;
	return {
		...listed,
		deactivatedAt: isoOrNull(goneAt),
		keyId: goneAt === null ? (key.split("_")[1] ?? "") : null,
		sessions: sessionsOf(state, agent),
		totalStays: stays.length,
		totalPostcards: sent.length,
		postcards: sent
			.slice(-POSTCARDS)
			.reverse()
			.map(({ id, recipient, message, createdAt, hiddenAt }) =>
				partOf({
					...{ id, message, recipientId: recipient?.id ?? null },
					createdAt: iso(createdAt),
					hiddenAt: isoOrNull(hiddenAt),
				}),
			),
	};
}

/** The data that the service has of an agent, each table oldest first. */
export function exportView({ made, postcards }: State, agent: Agent) {
	const { id, avatarUrl: _, ...profile } = { id: agent.id, ...agent.profile };
	const experiences = [...made.values()].filter(
		({ creator }) => creator === agent,
	);
	const cards = [...postcards.values()].filter(
		({ sender, recipient }) => sender === agent || recipient === agent,
	);
	return {
		agent: partOf({ id, ...profile }),
		stays: agent.stays.map(({ id, moodOnArrival, moodOnDeparture, points }) =>
			partOf({ id, moodOnArrival, moodOnDeparture, relaxationPoints: points }),
		),
		experiences: experiences.map((experience) => {
			const { id, name, category, description, location } = experience;
			const totalCompletions = experience.completions;
			const texts = { name, category, description, location };
			return partOf({ id, ...texts, totalCompletions });
		}),
		votes: agent.votes.map(({ vote: { id, rating, review } }) =>
			partOf({ id, rating, review }),
		),
		postcards: cards.map(({ id, message, mood, location }) =>
			partOf({ id, message, mood, location }),
		),
		log: agent.log.map(({ id, name, category, notes }) =>
			partOf({ id, activityName: name, activityCategory: category, notes }),
		),
	};
}

/** Its sessions, newest first; of those that are over, any may be shown. */
function sessionsOf({ sessions, nowMs }: State, agent: Agent): Some {
	const open = agent.sessions
		.map((token) => sessions.get(token)?.endsAt ?? 0)
		.filter((endsAt) => nowMs < endsAt)
		.sort((one, other) => other - one)
		.map((endsAt) => `${iso(endsAt - SESSION_MS)} to ${iso(endsAt)}`);
	return new Some(`sessions ${open.join(", ")}`, (value) => {
		if (!Array.isArray(value)) return false;
		const given = value
			.filter(({ expiresAt }) => nowMs < Date.parse(expiresAt))
			.map(({ createdAt, expiresAt }) => `${createdAt} to ${expiresAt}`);
		return given.join() === open.join();
	});
}
