import { checksumOf } from "../support/api-key.ts";
import type { Agent } from "./entities.ts";
import {
	type Expected,
	refusal,
	type Some,
	someText,
	success,
	suggestions,
	words,
} from "./expected.ts";
import {
	BROKEN,
	bodyOf,
	type Field,
	type Fields,
	httpsUrl,
	knowing,
	list,
	nothing,
	nullable,
	optional,
	parse,
	type Reading,
	readAll,
	text,
	unchanged,
} from "./fields.ts";
import { type Operation, open, own, plain } from "./operation.ts";
import type { State } from "./state.ts";
import { profileView, statusView } from "./views.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const COOKIE = "__Host-resort_session";

const optionalList: Field<string[]> = (value) =>
	value === undefined || value === null ? [] : list(value);

const profile = {
	name: text(2, 100),
	bio: optional(text(0, 500)),
	relaxationStyle: optionalList,
	comfortObjects: optionalList,
	interests: optionalList,
	avatarUrl: optional(httpsUrl),
	roomPreference: optional(text(0, 200)),
};

const changes = {
	name: unchanged(text(2, 100)),
	bio: unchanged(nullable(text(0, 500))),
	relaxationStyle: unchanged(list),
	comfortObjects: unchanged(list),
	interests: unchanged(list),
	avatarUrl: unchanged(nullable(httpsUrl)),
	roomPreference: unchanged(nullable(text(0, 200))),
};

/** A profile, or null for phase 1. */
const registration = knowing(
	{ phase: null, ...profile },
	(call): Reading<Fields<typeof profile> | null> => {
		const body = parse(call);
		if (body === BROKEN) return { broken: [] };
		if (Reflect.get(body, "phase") === "discover" || !("name" in body)) {
			return { value: null };
		}
		return readAll(profile, body);
	},
);

/** At least one known field. */
const someChanges = knowing(
	changes,
	(call): Reading<Fields<typeof changes>> => {
		const body = parse(call);
		return body !== BROKEN && Object.keys(changes).some((name) => name in body)
			? readAll(changes, body)
			: { broken: [] };
	},
);

const discovered = success(200, {
	phase: "discover",
	brief: {
		roomType: words,
		relaxationStyle: words,
		persona: words,
		comfortObject: words,
		ambientSound: words,
		secretIndulgence: words,
		nameSeeds: [words, words, words, words],
	},
	instructions: words,
	hint: words,
});

/** Agents, their profiles, keys and sessions. */
export const agentOperations: Record<string, Operation> = {
	"POST /api/agents": open(registration, ({ state, nowMs, read }) =>
		read === null ? discovered : register(state, nowMs, read),
	),
	"GET /api/agents/:id": plain.open(({ state, id }) => {
		const agent = state.agent(id);
		return agent
			? success(200, { agent: profileView(agent) })
			: refusal(404, "Agent not found");
	}),
	"GET /api/agents/:id/status": plain.open(({ state, id }) => {
		const agent = state.agent(id);
		return agent
			? { status: 200, body: statusView(state, agent) }
			: refusal(404, "Agent not found");
	}),
	"GET /api/me": plain.own((_, caller) =>
		success(200, { agent: profileView(caller) }),
	),
	"PATCH /api/me": own(someChanges, ({ read }, caller) => {
		const changed = Object.entries(read).filter(([, to]) => to !== undefined);
		Object.assign(caller.profile, Object.fromEntries(changed));
		return success(200, { agent: profileView(caller) });
	}),
	"DELETE /api/me": plain.own(({ state }, caller) => {
		depart(state, caller);
		return success(200, {});
	}),
	"POST /api/me/api-key": own(
		nothing,
		({ state }, caller) =>
			success(201, { apiKey: newKey(state) }, ({ body }) =>
				giveKey(state, caller, body.apiKey),
			),
		"key",
	),
	"POST /api/session": open(
		bodyOf({ apiKey: wholeText(10, 256) }),
		({ state, nowMs, read }) => {
			const agent = state.keys.get(read.apiKey);
			if (agent === undefined) return refusal(401, "Unauthorized");
			state.hear(agent);
			return {
				...success(200, { agent: profileView(agent) }),
				headers: { "set-cookie": cookie(/^[^;\s]{22,}$/, 604_800) },
				learn: ({ headers }) => {
					const token = cookieValue(headers.get("set-cookie") ?? "");
					state.sessions.set(token, { agent, endsAt: nowMs + 7 * DAY_MS });
					agent.sessions.push(token);
				},
			};
		},
	),
	"DELETE /api/session": own(
		nothing,
		({ state, call }) => {
			state.sessions.delete(call.session ?? "");
			return {
				...success(200, {}),
				headers: { "set-cookie": cookie(/^$/, 0) },
			};
		},
		"session",
	),
};

function register(
	state: State,
	nowMs: number,
	read: Fields<typeof profile>,
): Expected {
	const told = { profile: { ...read }, createdAt: nowMs };
	const owned = {
		heardAt: null,
		visitEndedAt: null,
		sessions: [],
		stays: [],
		log: [],
		sent: [],
		inbox: [],
		votes: [],
		ratings: [],
		visitors: [],
		goneAt: null,
		isErased: false,
	};
	const agent = { ...told, ...owned };
	const view = profileView({ ...agent, id: "", key: "" });
	return success(
		201,
		{
			agent: { ...view, id: state.newId() },
			apiKey: newKey(state),
			next: suggestions,
		},
		({ body }) => {
			const id = state.noteId(body.agent.id);
			const registered: Agent = { ...agent, id, key: body.apiKey };
			state.agents.set(id, registered);
			state.everybody.set(id, registered);
			state.keys.set(body.apiKey, registered);
		},
	);
}

/** Deactivates an agent. */
export function depart(state: State, agent: Agent): void {
	revokeCredentials(state, agent);
	agent.goneAt = state.nowMs;
	state.agents.delete(agent.id);
	state.tell("agent.gone", agent);
}

/** Gives an agent a key; the one before and all sessions end. */
export function giveKey(state: State, agent: Agent, key: string): void {
	revokeCredentials(state, agent);
	agent.key = key;
	state.keys.set(key, agent);
}

function revokeCredentials(state: State, agent: Agent): void {
	state.keys.delete(agent.key);
	for (const token of agent.sessions.splice(0)) state.sessions.delete(token);
}

/** A direct key that was not given before: 43 digits hold 256 bits. */
export function newKey(state: State): Some {
	return someText(
		"new API key",
		(key) =>
			/^ar_[0-9A-Za-z]+_[0-9A-Za-z]{49,}$/.test(key) &&
			key.endsWith(checksumOf(key.slice(0, -6))) &&
			!state.keys.has(key),
	);
}

/** A string that is judged as it is, not trimmed. */
function wholeText(least: number, most: number): Field<string> {
	return (value) =>
		text(0, most)(value) !== BROKEN &&
		typeof value === "string" &&
		value.length >= least &&
		value.length <= most
			? value
			: BROKEN;
}

/** The session cookie with all its attributes. */
function cookie(value: RegExp, maxAgeSeconds: number): Some {
	const attributes = `httponly max-age=${maxAgeSeconds} path=/ samesite=strict secure`;
	return someText(`cookie ${value}, ${attributes}`, (header) => {
		const [, ...given] = header.split(";");
		return (
			header.startsWith(`${COOKIE}=`) &&
			value.test(cookieValue(header)) &&
			given
				.map((attribute) => attribute.trim().toLowerCase())
				.filter((attribute) => !attribute.startsWith("expires="))
				.sort()
				.join(" ") === attributes
		);
	});
}

function cookieValue(header: string): string {
	return header.slice(COOKIE.length + 1).split(";")[0] ?? "";
}
