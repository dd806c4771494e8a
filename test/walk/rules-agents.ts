import { DAY_MS, SECOND_MS } from "../../src/core/lib/clock.ts";
import type { Agent } from "./entities.ts";
import { type Expected, partOf, refusal, type Some, someText, success, suggestions } from "./expected.ts";
import { type Field, type Fields, httpsUrl, list, maybe, oneOf, optional, text } from "./fields.ts";
import { type Operation, open, own, type Visit } from "./operation.ts";
import { AGENTS, type State } from "./state.ts";
import { profileView, statusView } from "./views.ts";

/** How long a session lasts. */
const SESSION_MS = 7 * DAY_MS;
const COOKIE = "__Host-resort_session=";

/** A room preference, often the name of a known room type. */
export const wish = text(0, 200, ({ dice, state }) => {
	const type = dice.find([...state.roomTypes]) ?? "A room";
	return dice.pick(type, type.toUpperCase(), ` ${type.toLowerCase()} `, "🌴");
});

const name = text(2, 100);

const profile = {
	name,
	bio: optional(text(0, 500)),
	relaxationStyle: list,
	comfortObjects: list,
	interests: list,
	avatarUrl: optional(httpsUrl),
	roomPreference: optional(wish),
};

/**
 * The name of a new agent. It is often omitted once there are enough agents; the call then returns an
 * identity brief.
 */
const newName: Field<string | null> = {
	...name,
	draw: (drawer) =>
		drawer.dice.chance(drawer.state.agents.size > AGENTS ? 0.9 : 0.05) ? undefined : name.draw(drawer),
	read: (value) => (value === undefined ? null : name.read(value)),
};

const apiKey: Field<string> = {
	draw: ({ dice, caller, targets }) =>
		dice.chance(0.85) ? (caller?.key ?? "nobody's key") : targets.doubtfulKey(caller),
	read: String,
};

/** The parameter `expect`. */
export const expect = oneOf(null, "available", "relaxing");

const notFound = refusal(404, "Agent not found");

/** The operations of agents, keys and sessions. */
export const agentOperations: Record<string, Operation> = {
	"POST /api/agents": open({ ...profile, name: newName }, ({ state, nowMs, read: { name, ...read } }) =>
		name === null
			? { status: 200, body: partOf({ ok: true, phase: "discover" }) }
			: register(state, nowMs, { name, ...read }),
	),
	"GET /api/agents/:id": open({}, ({ state, id }) => {
		const agent = state.agent(id);
		return agent ? success(200, { agent: profileView(agent) }) : notFound;
	}),
	"GET /api/agents/:id/status": open({ expect }, ({ state, id, read }) => {
		const agent = state.agent(id);
		return agent ? expecting(state, read.expect, [agent], statusView(state, agent)) : notFound;
	}),
	"GET /api/me": own({}, (_, caller) => success(200, { agent: profileView(caller) })),
	"PATCH /api/me": own({ ...profile, name: maybe(name) }, changeProfile),
	"DELETE /api/me": own({}, ({ state }, caller) => {
		depart(state, caller);
		return success(200, {});
	}),
	"POST /api/me/api-key": own(
		{},
		({ state }, caller) =>
			success(201, { apiKey: newKey(state) }, ({ body }) => giveKey(state, caller, body.apiKey)),
		"key",
	),
	"POST /api/session": open({ apiKey }, ({ state, nowMs, read }) => {
		const agent = state.keys.get(read.apiKey);
		if (agent === undefined) return refusal(401, "Unauthorized");
		state.hear(agent);
		return {
			...success(200, { agent: profileView(agent) }),
			headers: { "set-cookie": cookie },
			learn: ({ headers }) => {
				const token = tokenIn(headers.get("set-cookie") ?? "");
				state.sessions.set(token, { agent, endsAt: nowMs + SESSION_MS });
				agent.sessions.push(token);
			},
		};
	}),
	"DELETE /api/session": own(
		{},
		({ state, call }) => {
			endSession(state, call.session ?? "");
			return { ...success(200, {}), headers: { "set-cookie": cookie } };
		},
		"session",
	),
};

function register(state: State, nowMs: number, profile: Agent["profile"]): Expected {
	const agent = (id: string, key: string): Agent => ({
		id,
		key,
		profile,
		createdAt: nowMs,
		heardAt: null,
		visitEndedAt: null,
		sessions: [],
		stays: [],
		log: [],
		sent: [],
		inbox: [],
		blocked: new Map(),
		votes: [],
		ratings: [],
		visitors: [],
		goneAt: null,
		isErased: false,
	});
	return success(
		201,
		{ agent: { ...profileView(agent("", "")), id: state.newId() }, apiKey: newKey(state), next: suggestions },
		({ body }) => {
			const registered = agent(state.noteId(body.agent.id), body.apiKey);
			state.agents.set(registered.id, registered);
			state.everybody.set(registered.id, registered);
			state.keys.set(registered.key, registered);
		},
	);
}

function changeProfile({ read, call }: Visit<Fields<typeof profile>>, caller: Agent): Expected {
	const changed = Object.entries(read).filter(([field]) => Object.hasOwn(call.body ?? {}, field));
	Object.assign(caller.profile, Object.fromEntries(changed));
	return success(200, { agent: profileView(caller) });
}

/** Deactivates an agent. */
export function depart(state: State, agent: Agent): void {
	revokeCredentials(state, agent);
	agent.goneAt = state.nowMs;
	state.agents.delete(agent.id);
	state.publish("agent.gone", agent);
}

/** Replaces the key of an agent, and ends its sessions. */
export function giveKey(state: State, agent: Agent, key: string): void {
	revokeCredentials(state, agent);
	agent.key = key;
	state.keys.set(key, agent);
}

function revokeCredentials(state: State, agent: Agent): void {
	state.keys.delete(agent.key);
	state.formerKeys.push(agent.key);
	for (const token of agent.sessions.splice(0)) endSession(state, token);
}

function endSession(state: State, token: string): void {
	state.sessions.delete(token);
	state.formerSessions.push(token);
}

/** A new API key. */
export function newKey(state: State): Some {
	return someText(
		"new API key",
		(key) => /^ar_[0-9A-Za-z]+_[0-9A-Za-z]{49,}$/.test(key) && !state.keys.has(key),
	);
}

const cookie = someText("session cookie", (header) => header.startsWith(COOKIE));

function tokenIn(header: string): string {
	return header.slice(COOKIE.length).split(";")[0] ?? "";
}

/**
 * Returns the response with the statuses of agents: 409 if one of them does not have the expected status.
 * @param agents contains undefined in place of an unknown agent
 */
export function expecting(
	state: State,
	expect: "available" | "relaxing" | null,
	agents: readonly (Agent | undefined)[],
	body: object,
): Expected {
	const stays = agents.map((agent) => agent && (state.openStay(agent) ?? null));
	const others = stays.filter((stay) => stay === undefined || (stay === null) !== (expect === "available"));
	if (expect === null || others.length === 0) return { status: 200, body };
	const ends = others.flatMap((stay) => stay?.endsBy ?? []);
	const leftMs = Math.min(60 * SECOND_MS, ...ends.map((endMs) => endMs - state.nowMs));
	return { status: 409, body, headers: { "retry-after": String(Math.ceil(leftMs / SECOND_MS)) } };
}
