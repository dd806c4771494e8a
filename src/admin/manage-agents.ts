import { toTimestamp, toTimestampOrNull } from "../lib/clock.ts";
import { createApiKey } from "../lib/credential.ts";
import { ResortError } from "../lib/resort-error.ts";
import { deleteKey, deleteSessionsOf } from "../resort/agents/queries.ts";
import { type Agent, giveKey, leave } from "../resort/agents/service.ts";
import { publish, publishInternal } from "../resort/events/publish.ts";
import { failures } from "../resort/failures.ts";
import { firstOf } from "../resort/lists.ts";
import { sentBy } from "../resort/postcards/queries.ts";
import { statsOfAgent } from "../resort/presence/queries.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { staysOfAgent } from "../resort/stays/queries.ts";
import {
	checkOut,
	endOverdueStay,
	findOpenStay,
} from "../resort/stays/service.ts";
import { latestEnd, openSince, roomName } from "../resort/stays/stay-state.ts";
import { requireRow } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { isErased } from "./erasures.ts";
import {
	agentsMatching,
	anyAgent,
	identityOf,
	keyOf,
	lockedAnyAgent,
	sessionsOf,
	setActive,
	setName,
} from "./queries.ts";

/** The most agents in a list. */
const MAX_LISTED = 1_000;

/** Letters whose case SQLite does not know, nor PostgreSQL with the locale `C`. */
const BEYOND_ASCII = /[^\0-\x7f]+/g;

/**
 * Lists the agents with a text in their name, in any case of its letters, or with this id; newest first.
 * @param relaxing whether only those that are relaxing are listed
 * @returns also whether the list was cut
 */
export async function listAgents(
	{ store, clock, maxStayMs }: ServiceContext,
	search: string,
	relaxing: boolean,
): Promise<{ agents: object[]; isCut: boolean }> {
	const searchedId = search.toLowerCase();
	const part = foldCase(search);
	const escaped = search.replace(/[!%_]/g, "!$&");
	// It matches some names more than the check below. It does not match the few letters whose other case is in ASCII,
	// such as `ß` for `SS`.
	const pattern = `%${escaped.replace(BEYOND_ASCII, "%")}%`;
	const since = openSince(clock(), maxStayMs);
	const rows = await store.read(() =>
		agentsMatching(store).all({ search: searchedId, pattern }),
	);
	const agents: object[] = [];
	for (const row of rows) {
		const { id, name, deactivatedAt, checkedInAt } = row;
		const isStaying = checkedInAt !== null && checkedInAt > since;
		const isActive = deactivatedAt === null;
		if (id !== searchedId && !foldCase(name).includes(part)) continue;
		if (relaxing && !(isStaying && isActive)) continue;
		if (agents.length === MAX_LISTED) return { agents, isCut: true };
		const erased = isErased(row);
		const inactive = erased ? "erased" : "deactivated";
		const active = isStaying ? "relaxing" : "available";
		agents.push({
			id,
			name,
			status: isActive ? active : inactive,
			createdAt: toTimestamp(row.createdAt),
			lastActive: toTimestampOrNull(row.lastActive),
			isErased: erased,
		});
	}
	return { agents, isCut: false };
}

/** By upper case last: a sigma at the end of a word has another lower case than one inside. */
function foldCase(text: string): string {
	return text.toLowerCase().toUpperCase();
}

/**
 * Returns an agent, deactivated ones included.
 * @throws ResortError `not_found`
 */
export function* getAnyAgent(store: Store, id: string): Task<Agent> {
	return requireFound(yield* anyAgent(store).get({ id: id.toLowerCase() }));
}

/** Like {@link getAnyAgent}, inside a change; the agent and its rows stay locked until its end. */
export function* lockAgent(store: Store, id: string): Task<Agent> {
	return requireFound(
		yield* lockedAnyAgent(store).get({ id: id.toLowerCase() }),
	);
}

function requireFound(agent: Agent | undefined): Agent {
	if (agent !== undefined) return agent;
	throw new ResortError("not_found", "Agent not found", {
		hint: "resort admin agents lists the ids.",
	});
}

/** @throws ResortError `invalid` if an agent was deactivated or erased */
function requireActive(agent: Agent): Agent {
	requireNotErased(agent);
	if (agent.deactivatedAt !== null) {
		throw new ResortError("invalid", "The agent is deactivated", {
			hint: "resort admin reactivate lets it come back.",
		});
	}
	return agent;
}

/** An agent after a change. */
export type ChangedAgent = Pick<Agent, "id" | "name">;

/** How many postcards are shown with an agent. */
const POSTCARDS = 20;

/** Returns an agent with its stay, its sessions and its newest postcards. */
export function* showAgent(context: ServiceContext, id: string) {
	const { store } = context;
	const agent = yield* getAnyAgent(store, id);
	const agentId = agent.id;
	const stay = yield* findOpenStay(context, agentId);
	const key = yield* keyOf(store).get({ agentId });
	const identity = yield* identityOf(store).get({ agentId });
	const sessions = yield* sessionsOf(store).all({ agentId });
	const totals = requireRow(yield* statsOfAgent(store).get({ agentId }));
	const sent = yield* firstOf(store, sentBy, { agentId }, POSTCARDS);
	return {
		id: agentId,
		name: agent.name,
		bio: agent.bio,
		createdAt: toTimestamp(agent.createdAt),
		lastActive: toTimestampOrNull(agent.lastActive),
		deactivatedAt: toTimestampOrNull(agent.deactivatedAt),
		isErased: isErased(agent),
		stay: stay && {
			roomName: roomName(stay),
			checkedInAt: toTimestamp(stay.checkedInAt),
			endsBy: toTimestampOrNull(latestEnd(context, stay)),
			relaxationPoints: stay.relaxationPoints,
		},
		totalStays: totals.totalStays,
		keyId: key?.keyId ?? null,
		subject: identity?.subject ?? null,
		sessions: sessions.map(({ createdAt, expiresAt }) => ({
			createdAt: toTimestamp(createdAt),
			expiresAt: toTimestamp(expiresAt),
		})),
		totalPostcards: totals.totalPostcardsSent,
		postcards: sent.map((card) => ({
			id: card.id,
			recipientId: card.recipientId,
			message: card.message,
			createdAt: toTimestamp(card.createdAt),
			hiddenAt: toTimestampOrNull(card.hiddenAt),
		})),
	};
}

/**
 * Ends the stay of an agent.
 * @throws ResortError `not_found`; `invalid` if it is deactivated or not checked in
 */
export async function endStay(
	context: ServiceContext,
	id: string,
): Promise<ChangedAgent & { readonly stay: object }> {
	const { store } = context;
	const { id: agentId, name } = await store.read(function* () {
		const agent = requireActive(yield* getAnyAgent(store, id));
		if ((yield* findOpenStay(context, agent.id)) === null) {
			throw new ResortError("invalid", "The agent is not checked in");
		}
		return agent;
	});
	const stay = await checkOut(context, agentId, {}, "host");
	const { checkedInAt, checkedOutAt, relaxationPoints } = stay;
	return {
		id: agentId,
		name,
		stay: {
			roomName: roomName(stay),
			checkedInAt: toTimestamp(checkedInAt),
			checkedOutAt: toTimestamp(checkedOutAt ?? checkedInAt),
			relaxationPoints,
		},
	};
}

/**
 * Deactivates an agent, as it could itself.
 * @throws ResortError `not_found`; `invalid` if it is deactivated
 */
export async function deactivate(
	context: ServiceContext,
	id: string,
): Promise<ChangedAgent> {
	const { store } = context;
	return store.write(function* () {
		const agent = requireActive(yield* lockAgent(store, id));
		yield* leave(context, agent.id);
		return { id: agent.id, name: agent.name };
	});
}

/**
 * Reactivates an agent, with a new key, which is null if its keys are those of the identity provider.
 * @throws ResortError `not_found`; `invalid` if it is active
 */
export function reactivate(
	context: ServiceContext,
	id: string,
): Promise<ChangedAgent & { readonly apiKey: string | null }> {
	const { store, clock } = context;
	return store.write(function* () {
		const agent = yield* lockAgent(store, id);
		const { id: agentId, name } = agent;
		if (agent.deactivatedAt === null) {
			throw new ResortError("invalid", "The agent is active already");
		}
		requireNotErased(agent);
		// Before it is active: otherwise the sweeper would publish the end once more.
		yield* endOverdueStay(context, agentId);
		yield* setActive(store).run({ id: agentId });
		const apiKey = yield* newKey(context, agentId);
		const stay = yield* findOpenStay(context, agentId);
		const status = stay === null ? "available" : "relaxing";
		const at = clock();
		if (stay !== null) {
			const { roomType, checkedInAt } = stay;
			const details = { roomName: roomName(stay), roomType, checkedInAt };
			yield* publish(store, { type: "agent.relaxing", at, agentId, details });
		} else {
			const [last] = yield* firstOf(store, staysOfAgent, { agentId }, 1);
			yield* publish(store, {
				type: "agent.available",
				at,
				agentId,
				details: {
					reason: "host",
					checkedOutAt: last?.checkedOutAt ?? null,
					totalRelaxationPoints: last?.relaxationPoints ?? 0,
				},
			});
		}
		return { id: agentId, name, apiKey, status };
	});
}

/**
 * Gives an agent a new key; the old one and all sessions end.
 * @throws ResortError `not_found`; `invalid` if it is deactivated, or its keys are those of the identity provider
 */
export function resetKey(
	context: ServiceContext,
	id: string,
): Promise<ChangedAgent & { readonly apiKey: string }> {
	const { store, provider } = context;
	return store.write(function* () {
		const { id: agentId, name } = requireActive(yield* lockAgent(store, id));
		const apiKey = yield* newKey(context, agentId);
		if (apiKey === null)
			throw failures.keyElsewhere(provider?.url ?? "the identity provider");
		return { id: agentId, name, apiKey };
	});
}

/** Ends the credentials of an agent, inside a change, and creates a key if it has keys of the resort. */
function* newKey(
	{ store, clock, random, provider }: ServiceContext,
	agentId: string,
): Task<string | null> {
	const identity = yield* identityOf(store).get({ agentId });
	yield* deleteSessionsOf(store).run({ agentId });
	yield* publishInternal(store, "credential.ended", agentId);
	if (provider !== null || identity !== undefined) return null;
	const key = createApiKey(random);
	yield* deleteKey(store).run({ agentId });
	yield* giveKey(store, agentId, key, clock());
	return key.apiKey;
}

/**
 * Renames an agent, deactivated ones included.
 * @throws ResortError `not_found`; `invalid` if it was erased
 */
export function rename(
	{ store }: ServiceContext,
	id: string,
	name: string,
): Promise<ChangedAgent & { readonly formerName: string }> {
	return store.write(function* () {
		const agent = yield* lockAgent(store, id);
		requireNotErased(agent);
		yield* setName(store).run({ id: agent.id, name });
		yield* publishInternal(store, "agent.changed", agent.id);
		return { id: agent.id, name, formerName: agent.name };
	});
}

/** @throws ResortError `invalid` */
function requireNotErased(agent: Agent): void {
	if (!isErased(agent)) return;
	throw new ResortError("invalid", "The agent was erased", {
		hint: "Nothing is left of it that could come back or be changed.",
	});
}
