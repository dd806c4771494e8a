import { iso } from "../support/values.ts";
import { type Agent, bareProfile } from "./entities.ts";
import { type Expected, partOf, refusal, Some, success, words } from "./expected.ts";
import { type Field, text } from "./fields.ts";
import { type Operation, open, type Visit } from "./operation.ts";
import { depart, giveKey, newKey, SESSION_MS } from "./rules-agents.ts";
import type { State } from "./state.ts";
import { isoOrNull } from "./views.ts";

const POSTCARDS = 20;

/** Replaces erased texts. */
const ERASED = "(erased)";

const unknown = refusal(404, "Agent not found");
const refused = refusal(400, words);

/** A part of a name in any case, an id, or a text that matches nothing. */
const search: Field<string> = {
	draw: ({ dice, state }) => {
		const agent = dice.find([...state.everybody.values()]);
		if (agent === undefined || dice.chance(0.3)) return undefined;
		const { id, profile } = agent;
		const letters = [...profile.name];
		const drawn = dice.below(letters.length);
		// Prefers letters outside ASCII, which databases compare differently.
		const foreign = letters.findIndex((letter) => letter > "\x7f");
		const from = foreign >= 0 && drawn % 2 === 0 ? foreign : drawn;
		const part = letters.slice(from, from + dice.between(1, 6)).join("");
		return dice.pick(
			part,
			part.toUpperCase(),
			part.toLowerCase(),
			dice.pick(id, id.toUpperCase(), id.slice(0, 8)),
			dice.pick("%", "_", "!", "(erased)", "nobody", "\\"),
		);
	},
	read: (value) => (value === undefined ? "" : String(value).trim()),
};

const relaxing: Field<boolean> = {
	draw: ({ dice }) => (dice.chance(0.3) ? "1" : undefined),
	read: (value) => value !== undefined,
};

/** The commands of the operator for agents. */
export const hostOperations: Record<string, Operation> = {
	"GET /agents": open({ search, relaxing }, ({ state, read }) => {
		const found = [...state.everybody.values()]
			.reverse()
			.filter((agent) => matches(agent, read.search))
			.filter((agent) => !read.relaxing || statusOf(state, agent) === "relaxing");
		return answer({
			agents: found.slice(0, 20).map((agent) => partOf(listedView(state, agent))),
			total: found.length,
			offset: 0,
		});
	}),
	"GET /agents/:id": ofAny(({ state }, agent) => answer({ agent: partOf(hostView(state, agent)) })),
	"GET /agents/:id/export": ofAny((_, agent) =>
		answer({ export: partOf({ agent: partOf({ id: agent.id }) }) }),
	),
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

/** A successful response with these fields, and possibly others. */
export function answer(fields: object, learn?: Expected["learn"]): Expected {
	return { ...success(200, {}, learn), body: partOf({ ok: true, ...fields }) };
}

function withKey(state: State, agent: Agent, more: object): Expected {
	const fields = { id: agent.id, apiKey: newKey(state), ...more };
	return answer(fields, ({ body }) => giveKey(state, agent, body.apiKey));
}

/** Reactivates an agent, with its open stay if that is not overdue. */
function comeBack(state: State, agent: Agent): "relaxing" | "available" {
	const newest = agent.stays.at(-1);
	// Publishes no end of a stay during the deactivation.
	if (newest) state.endOverdue(newest, agent);
	agent.goneAt = null;
	state.agents.set(agent.id, agent);
	const stay = state.openStay(agent);
	if (stay !== undefined) {
		const { roomName, roomType, checkedInAt } = stay;
		const details = { roomName, roomType, checkedInAt };
		state.publish("agent.relaxing", agent, { details });
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

/** Erases an agent: overwrites its texts. Ids, counts and data of other agents stay. */
function erase(state: State, agent: Agent): void {
	if (agent.goneAt === null) depart(state, agent);
	const own = [...state.made.values()].filter(({ creator }) => creator === agent);
	for (const experience of own) {
		// For a hidden experience, the event has already been published.
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
	// Also overwrites the names of its experiences in the logs of others.
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

function matches({ id, profile }: Agent, search: string): boolean {
	const lower = (text: string) => text.toUpperCase().toLowerCase();
	return lower(profile.name).includes(lower(search)) || search.toLowerCase() === id;
}

function statusOf(state: State, agent: Agent): string {
	if (agent.isErased) return "erased";
	if (agent.goneAt !== null) return "deactivated";
	return state.openStay(agent) ? "relaxing" : "available";
}

function listedView(state: State, agent: Agent) {
	return {
		id: agent.id,
		name: agent.profile.name,
		createdAt: iso(agent.createdAt),
		lastActive: isoOrNull(agent.heardAt),
		isErased: agent.isErased,
		status: statusOf(state, agent),
	};
}

function hostView(state: State, agent: Agent) {
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
					id,
					message,
					recipientId: recipient?.id ?? null,
					createdAt: iso(createdAt),
					hiddenAt: isoOrNull(hiddenAt),
				}),
			),
	};
}

/** The agent's sessions, newest first. The answer may contain expired ones. */
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
