import type { Agent } from "./entities.ts";
import { depart } from "./rules-agents.ts";
import type { State } from "./state.ts";

/** What stands in place of what was overwritten. */
const ERASED = "(erased)";

/** Overwrites what identifies an agent; what others made and did stays, and so do ids and counts. */
export function erase(state: State, agent: Agent): void {
	if (agent.goneAt === null) depart(state, agent);
	archiveAll(state, agent);
	agent.isErased = true;
	Object.assign(agent.profile, {
		name: ERASED,
		bio: null,
		relaxationStyle: [],
		comfortObjects: [],
		interests: [],
		avatarUrl: null,
		roomPreference: null,
	});
	for (const postcard of agent.sent) {
		Object.assign(postcard, { message: ERASED, mood: null, location: null });
	}
	for (const { vote } of agent.votes) vote.review = null;
	for (const stay of agent.stays) {
		Object.assign(stay, { moodOnArrival: null, moodOnDeparture: null });
	}
	for (const done of agent.log) done.notes = null;
	eraseNames(state, agent);
}

/** Archives its experiences, also those that are hidden: these have been told as archived. */
function archiveAll(state: State, agent: Agent): void {
	for (const experience of state.made.values()) {
		if (experience.creator !== agent) continue;
		if (state.experiences.has(experience.id)) {
			state.tell("experience.archived", agent, { experience });
		}
		experience.isArchived = true;
	}
	state.sortOut();
}

/** Overwrites what names its experiences, also where others did them. */
function eraseNames(state: State, agent: Agent): void {
	const names = { name: ERASED, category: ERASED };
	for (const experience of state.made.values()) {
		if (experience.creator !== agent) continue;
		Object.assign(experience, names);
		Object.assign(experience, { description: ERASED, location: ERASED });
	}
	for (const { log } of state.everybody.values()) {
		for (const done of log) {
			if (done.experience?.creator === agent) Object.assign(done, names);
		}
	}
	for (const event of [...state.told, ...state.chronicle.events]) {
		if (event.type !== "agent.did") continue;
		if (event.experience?.creator !== agent) continue;
		event.details = { ...event.details, ...names };
	}
}
