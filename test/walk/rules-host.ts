import { type Agent, bareProfile } from "./entities.ts";
import { type Expected, partOf, refusal, Some, success, words } from "./expected.ts";
import { text } from "./fields.ts";
import { type Operation, open, type Visit } from "./operation.ts";
import { depart, giveKey, newKey } from "./rules-agents.ts";
import type { State } from "./state.ts";

/** The maximum number of postcards in the response of GET /agents/:id. */
const POSTCARDS = 20;

/** The text that replaces erased texts. */
const ERASED = "(erased)";

const unknown = refusal(404, "Agent not found");
const refused = refusal(400, words);

/** The operator's commands for agents, except lists and exports, which have tests of their own. */
export const hostOperations: Record<string, Operation> = {
	"GET /agents/:id": ofAny(({ state, nowMs }, { id, sessions, stays, sent }) => {
		const open = sessions.filter((token) => nowMs < (state.sessions.get(token)?.endsAt ?? 0));
		const postcards = sent.slice(-POSTCARDS).reverse();
		const agent = {
			id,
			// The list may also contain sessions that have expired.
			sessions: new Some("sessions", (value) => Array.isArray(value) && value.length >= open.length),
			totalStays: stays.length,
			totalPostcards: sent.length,
			postcards: postcards.map(({ id, message }) => partOf({ id, message })),
		};
		return answer({ agent: partOf(agent) });
	}),
	"POST /agents/:id/check-out": ofActive(({ state, nowMs }, agent) => {
		const stay = state.openStay(agent);
		if (stay === undefined) return refused;
		state.leave(agent, stay, nowMs, "host");
		return answer({ id: agent.id });
	}),
	"POST /agents/:id/deactivate": ofActive(({ state }, agent) => {
		depart(state, agent);
		return answer({ id: agent.id });
	}),
	"POST /agents/:id/reactivate": ofAny(({ state }, agent) => {
		if (agent.goneAt === null || agent.isErased) return refused;
		const status = comeBack(state, agent);
		return withKey(state, agent, { status });
	}),
	"POST /agents/:id/reset-key": ofActive(({ state }, agent) => withKey(state, agent, {})),
	"POST /agents/:id/rename": open({ name: text(2, 100) }, (visit) =>
		named(visit, (agent) => {
			if (agent.isErased) return refused;
			agent.profile.name = visit.read.name;
			return answer({ id: agent.id });
		}),
	),
	"POST /agents/:id/erase": ofAny(({ state }, agent) => {
		erase(state, agent);
		return answer({ id: agent.id });
	}),
};

interface Thing {
	readonly id: string;
	hiddenAt: number | null;
}

type Find = (state: State, id: string) => Thing | undefined;

const finders: Readonly<Record<string, Find>> = {
	postcard: ({ postcards }, id) => postcards.get(id),
	experience: ({ made }, id) => made.get(id),
	review: ({ votes }, id) => {
		const vote = votes.get(id);
		// The command `show` succeeds for a hidden review even if its text was removed after it was hidden.
		return vote?.review == null && vote?.hiddenAt == null ? undefined : vote;
	},
};

/** The commands that hide and show texts of agents. */
export const hidingOperations: Record<string, Operation> = Object.fromEntries(
	Object.entries(finders).flatMap(([kind, find]) => [
		[`POST /${kind}s/:id/hide`, open({}, (visit) => setHidden(visit, find, true))],
		[`POST /${kind}s/:id/show`, open({}, (visit) => setHidden(visit, find, false))],
	]),
);

function setHidden({ state, id, nowMs }: Visit<object>, find: Find, isHidden: boolean): Expected {
	const thing = find(state, id.toLowerCase());
	if (thing === undefined) return refusal(404, words);
	if ((thing.hiddenAt !== null) === isHidden) return refusal(400, words);
	const active = state.experiences.get(thing.id);
	if (active) {
		state.publish("experience.archived", active.creator, { experience: active });
	}
	thing.hiddenAt = isHidden ? nowMs : null;
	state.listActive();
	return answer({ id: thing.id });
}

/** A successful response with these fields, and possibly others. */
function answer(fields: object, learn?: Expected["learn"]): Expected {
	return { ...success(200, {}, learn), body: partOf({ ok: true, ...fields }) };
}

function withKey(state: State, agent: Agent, more: object): Expected {
	const fields = { id: agent.id, apiKey: newKey(state), ...more };
	return answer(fields, ({ body }) => giveKey(state, agent, body.apiKey));
}

/** Reactivates an agent, and continues its open stay unless the stay is overdue. */
function comeBack(state: State, agent: Agent): "relaxing" | "available" {
	const newest = agent.stays.at(-1);
	// An overdue stay ends while the agent is still deactivated, so no event about its end is published.
	if (newest) state.endOverdue(newest, agent);
	agent.goneAt = null;
	state.agents.set(agent.id, agent);
	const stay = state.openStay(agent);
	if (stay !== undefined) {
		state.publishArrival(agent, stay);
		return "relaxing";
	}
	state.publish("agent.available", agent, {
		details: {
			reason: "host",
			checkedOutAt: newest ? state.endOf(newest) : null,
			totalRelaxationPoints: newest?.points ?? 0,
		},
	});
	return "available";
}

/** Erases an agent: overwrites its texts, but keeps its id, its counts and the data of other agents. */
function erase(state: State, agent: Agent): void {
	if (agent.goneAt === null) depart(state, agent);
	const own = [...state.made.values()].filter(({ creator }) => creator === agent);
	for (const experience of own) {
		// For a hidden experience, this event was already published when the operator hid the experience.
		if (state.experiences.has(experience.id)) {
			state.publish("experience.archived", agent, { experience });
		}
		experience.isArchived = true;
	}
	state.listActive();
	agent.isErased = true;
	Object.assign(agent.profile, bareProfile, { name: ERASED });
	for (const postcard of agent.sent) {
		Object.assign(postcard, { message: ERASED, mood: null, location: null });
	}
	for (const { vote } of agent.votes) vote.review = null;
	for (const stay of agent.stays) {
		Object.assign(stay, { moodOnArrival: null, moodOnDeparture: null });
	}
	for (const done of agent.log) done.notes = null;
	const names = { name: ERASED, category: ERASED };
	for (const experience of own) {
		Object.assign(experience, names, { description: ERASED, location: ERASED });
	}
	// Also overwrites the names of the agent's experiences in the logs of other agents.
	for (const done of [...state.everybody.values()].flatMap(({ log }) => log)) {
		if (done.experience?.creator === agent) Object.assign(done, names);
	}
	for (const event of [...state.published, ...state.chronicle.events]) {
		if (event.type !== "agent.did") continue;
		if (event.experience?.creator !== agent) continue;
		event.details = { ...event.details, ...names };
	}
}

function ofAny(rule: (visit: Visit<object>, agent: Agent) => Expected) {
	return open({}, (visit) => named(visit, (agent) => rule(visit, agent)));
}

function ofActive(rule: (visit: Visit<object>, agent: Agent) => Expected) {
	return ofAny((visit, agent) => (agent.goneAt === null ? rule(visit, agent) : refused));
}

function named({ state, id }: Visit<object>, rule: (agent: Agent) => Expected): Expected {
	const agent = state.everybody.get(id.toLowerCase());
	return agent ? rule(agent) : unknown;
}
