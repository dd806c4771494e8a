import type { Agent } from "./entities.ts";
import { type Expected, partOf, refusal, success, words } from "./expected.ts";
import { bodyOf, type Field, queryOf, text, uuid } from "./fields.ts";
import { keptView, seenView, shownView } from "./host-views.ts";
import { type Operation, open, plain, type Visit } from "./operation.ts";
import { depart, giveKey, newKey } from "./rules-agents.ts";
import { erase } from "./rules-erase.ts";
import type { State } from "./state.ts";

const unknown = refusal(404, "Agent not found");
const refused = refusal(400, words);

const anything: Field<string | null> = (value) =>
	value === undefined ? null : String(value);

/** What the host may do with agents. */
export const hostOperations: Record<string, Operation> = {
	"GET /agents": open(
		queryOf({ search: anything, relaxing: anything }),
		({ state, read: { search, relaxing } }) => {
			const found = [...state.everybody.values()]
				.reverse()
				.filter((agent) => isMeant(agent, (search ?? "").trim()))
				.filter((agent) => relaxing === null || isRelaxing(state, agent));
			return told({
				agents: found.map((agent) =>
					partOf({ ...seenView(agent), status: statusOf(state, agent) }),
				),
				isCut: false,
			});
		},
	),
	"GET /agents/:id": toAnybody(({ state }, agent) => {
		return told({
			agent: shownView(state, agent),
		});
	}),
	"GET /agents/:id/export": toAnybody(({ state }, agent) =>
		told({ export: partOf(keptView(state, agent)) }),
	),
	"POST /agents/:id/check-out": toActive(({ state, nowMs }, agent) => {
		const stay = state.openStay(agent);
		if (stay === undefined) return refused;
		state.leave(agent, stay, nowMs, "host");
		return done(agent);
	}),
	"POST /agents/:id/deactivate": toActive(({ state }, agent) => {
		depart(state, agent);
		return done(agent);
	}),
	"POST /agents/:id/reactivate": toAnybody(({ state }, agent) => {
		if (agent.goneAt === null || agent.isErased) return refused;
		const status = comeBack(state, agent);
		return withKey(state, agent, { status });
	}),
	"POST /agents/:id/reset-key": toActive(({ state }, agent) =>
		withKey(state, agent, {}),
	),
	"POST /agents/:id/rename": open(bodyOf({ name: text(2, 100) }), (visit) =>
		named(visit, (agent) => {
			if (agent.isErased) return refused;
			agent.profile.name = visit.read.name;
			return done(agent);
		}),
	),
	"POST /agents/:id/erase": toAnybody(({ state }, agent) => {
		erase(state, agent);
		return done(agent);
	}),
};

/** A success that tells this, and maybe more. */
export function told(fields: object, learn?: Expected["learn"]): Expected {
	return { ...success(200, {}, learn), body: partOf({ ok: true, ...fields }) };
}

function done({ id }: Agent): Expected {
	return told({ id });
}

function withKey(state: State, agent: Agent, more: object): Expected {
	const fields = { id: agent.id, apiKey: newKey(state), ...more };
	return told(fields, ({ body }) => giveKey(state, agent, body.apiKey));
}

/** Lets an agent come back into its stay, or without one when that is over. */
function comeBack(state: State, agent: Agent): "relaxing" | "available" {
	const newest = agent.stays.at(-1);
	// Nobody hears of an end that came while it was gone.
	if (newest) state.endOverdue(newest, agent);
	agent.goneAt = null;
	state.agents.set(agent.id, agent);
	const stay = state.openStay(agent);
	if (stay !== undefined) {
		const { roomName, roomType, checkedInAt } = stay;
		const details = { roomName, roomType, checkedInAt };
		state.tell("agent.relaxing", agent, { details });
		return "relaxing";
	}
	state.tell("agent.available", agent, {
		details: {
			reason: "host",
			checkedOutAt: newest ? state.endOf(newest) : null,
			totalRelaxationPoints: newest?.points ?? 0,
		},
	});
	return "available";
}

function toAnybody(
	rule: (visit: Visit<undefined>, agent: Agent) => Expected,
): Operation {
	return plain.open((visit) => named(visit, (agent) => rule(visit, agent)));
}

function toActive(
	rule: (visit: Visit<undefined>, agent: Agent) => Expected,
): Operation {
	return toAnybody((visit, agent) =>
		agent.goneAt === null ? rule(visit, agent) : refused,
	);
}

/** Judges by the agent that the path names, also one that is gone. */
function named(
	{ state, id }: Visit<unknown>,
	rule: (agent: Agent) => Expected,
): Expected {
	const agent = state.everybody.get(id.toLowerCase());
	return agent ? rule(agent) : unknown;
}

/** By a part of its name, whatever the case of its letters, or by its id. */
function isMeant({ id, profile }: Agent, search: string): boolean {
	return lower(profile.name).includes(lower(search)) || uuid(search) === id;
}

function lower(text: string): string {
	return text.toUpperCase().toLowerCase();
}

function isRelaxing(state: State, agent: Agent): boolean {
	return statusOf(state, agent) === "relaxing";
}

function statusOf(state: State, agent: Agent): string {
	if (agent.isErased) return "erased";
	if (agent.goneAt !== null) return "deactivated";
	return state.openStay(agent) ? "relaxing" : "available";
}
