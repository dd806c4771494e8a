import { setImmediate } from "node:timers/promises";
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
import {
	latestEnd,
	openSince,
	roomName,
	type Stay,
} from "../resort/stays/moment.ts";
import { staysOfAgent } from "../resort/stays/queries.ts";
import {
	checkOut,
	endOverdueStay,
	findOpenStay,
} from "../resort/stays/service.ts";
import { requireRow } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { MOST_LISTED } from "./bounds.ts";
import { isErased, setActive, setName } from "./changes.ts";
import {
	agentsBetween,
	anyAgent,
	identityOf,
	keyOf,
	lockedAnyAgent,
	newestAgent,
	sessionsOf,
} from "./queries.ts";
import { searchFor } from "./search.ts";

/** How many agents are looked at without a pause: some 20 ms when the database gives all of them. */
const AT_ONCE = 5_000;

/** An agent in a list. */
export interface ListedAgent {
	readonly id: string;
	readonly name: string;
	readonly status: "relaxing" | "available" | "deactivated" | "erased";
	readonly createdAt: string;
	readonly lastActive: string | null;
	readonly isErased: boolean;
}

/**
 * The agents whose name has a text in it, whatever the case of its letters, or whose id it is; newest first,
 * {@link MOST_LISTED} at most.
 * @param relaxing only those that are relaxing
 * @returns whether there may be more, too
 */
export async function listAgents(
	{ store, clock, maxStayMs }: ServiceContext,
	search: string,
	relaxing: boolean,
): Promise<{ agents: ListedAgent[]; isCut: boolean }> {
	const { id: searchedId, pattern, isFound } = searchFor(search);
	const since = openSince(clock(), maxStayMs);
	const found: ListedAgent[] = [];
	const newest = await store.read(function* () {
		return (yield* newestAgent(store).get({}))?.seq ?? 0;
	});
	for (let to = newest; to > 0; to -= AT_ONCE) {
		const rows = await store.read(() =>
			agentsBetween(store).all({
				after: to - AT_ONCE,
				to,
				search: searchedId,
				pattern,
			}),
		);
		for (const {
			id,
			name,
			createdAt,
			lastActive,
			deactivatedAt,
			checkedInAt,
			avatarUrl,
		} of rows) {
			const isIn = checkedInAt !== null && checkedInAt > since;
			if (!isFound({ id, name })) continue;
			const erased = isErased({ avatarUrl });
			const gone = erased ? "erased" : "deactivated";
			const active = isIn ? "relaxing" : "available";
			if (relaxing && !(isIn && deactivatedAt === null)) continue;
			if (found.length === MOST_LISTED) return { agents: found, isCut: true };
			found.push({
				id,
				name,
				status: deactivatedAt === null ? active : gone,
				createdAt: toTimestamp(createdAt),
				lastActive: toTimestampOrNull(lastActive),
				isErased: erased,
			});
		}
		await setImmediate();
	}
	return { agents: found, isCut: false };
}

/**
 * An agent, also one that was deactivated.
 * @throws ResortError `not_found`
 */
export function* getAnyAgent(store: Store, id: string): Task<Agent> {
	return found(yield* anyAgent(store).get({ id: id.toLowerCase() }));
}

/** As {@link getAnyAgent}, inside a change: nobody else changes what is its own until that has ended. */
export function* lockAgent(store: Store, id: string): Task<Agent> {
	return found(yield* lockedAnyAgent(store).get({ id: id.toLowerCase() }));
}

function found(agent: Agent | undefined): Agent {
	if (agent !== undefined) return agent;
	throw new ResortError("not_found", "Agent not found", {
		hint: "resort admin agents lists the ids.",
	});
}

/**
 * An agent that has been neither deactivated nor erased.
 * @throws ResortError `invalid` when it has been
 */
function requireActive(agent: Agent): Agent {
	requireNotErased(agent);
	if (agent.deactivatedAt !== null) {
		throw new ResortError("invalid", "The agent is deactivated", {
			hint: "resort admin reactivate lets it come back.",
		});
	}
	return agent;
}

/** Which agent was changed, by its name after the change. */
export type Changed = Pick<Agent, "id" | "name">;

/** How many postcards of an agent are shown with it. */
const POSTCARDS = 20;

/** All that a host wants to know of an agent. */
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
 * Ends the stay of an agent, as the host.
 * @throws ResortError `not_found`; `invalid` when it is deactivated or not checked in
 */
export async function endStay(
	context: ServiceContext,
	id: string,
): Promise<Changed & { readonly stay: Stay }> {
	const { store } = context;
	const { id: agentId, name } = await store.read(function* () {
		const agent = requireActive(yield* getAnyAgent(store, id));
		if ((yield* findOpenStay(context, agent.id)) === null) {
			throw new ResortError("invalid", "The agent is not checked in");
		}
		return agent;
	});
	const stay = await checkOut(context, agentId, {}, "host");
	return { id: agentId, name, stay };
}

/**
 * Deactivates an agent, as it could itself.
 * @throws ResortError `not_found`; `invalid` when it is deactivated
 */
export async function deactivate(
	context: ServiceContext,
	id: string,
): Promise<Changed> {
	const { store } = context;
	return store.write(function* () {
		const agent = requireActive(yield* lockAgent(store, id));
		yield* leave(context, agent.id);
		return { id: agent.id, name: agent.name };
	});
}

/** An agent that has come back. */
export interface Reactivated extends Changed {
	/** Told this once; null where keys are the identity provider's. */
	readonly apiKey: string | null;
	/** Whether its stay goes on. */
	readonly isRelaxing: boolean;
}

/**
 * Lets an agent come back that was deactivated, with a new key.
 * @throws ResortError `not_found`; `invalid` when it is active
 */
export function reactivate(
	context: ServiceContext,
	id: string,
): Promise<Reactivated> {
	const { store, clock } = context;
	return store.write(function* () {
		const agent = yield* lockAgent(store, id);
		const { id: agentId, name } = agent;
		if (agent.deactivatedAt === null) {
			throw new ResortError("invalid", "The agent is active already");
		}
		requireNotErased(agent);
		// Before it is back: otherwise the end would be told once more when the sweeper comes.
		yield* endOverdueStay(context, agentId);
		yield* setActive(store).run({ id: agentId });
		const apiKey = yield* newKey(context, agentId);
		const stay = yield* findOpenStay(context, agentId);
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
		return { id: agentId, name, apiKey, isRelaxing: stay !== null };
	});
}

/**
 * Gives an agent a new key; the old one and all sessions end.
 * @throws ResortError `not_found`; `invalid` when it is deactivated, or its keys are the identity provider's
 */
export function resetKey(
	context: ServiceContext,
	id: string,
): Promise<Changed & { readonly apiKey: string }> {
	const { store, provider } = context;
	return store.write(function* () {
		const { id: agentId, name } = requireActive(yield* lockAgent(store, id));
		const apiKey = yield* newKey(context, agentId);
		if (apiKey === null)
			throw failures.keyElsewhere(provider?.url ?? "the identity provider");
		return { id: agentId, name, apiKey };
	});
}

/** Ends the credentials of an agent, and gives it a key where it has keys of the resort; inside a change. */
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
 * Names an agent anew, also one that was deactivated.
 * @throws ResortError `not_found`; `invalid` when it was erased
 */
export function rename(
	{ store }: ServiceContext,
	id: string,
	name: string,
): Promise<Changed & { readonly formerName: string }> {
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
