import { toTimestamp, toTimestampOrNull } from "../lib/clock.ts";
import { createApiKey } from "../lib/credential.ts";
import { pause } from "../lib/pause.ts";
import { ResortError } from "../lib/resort-error.ts";
import { deleteKey, deleteSessionsOf } from "../resort/agents/queries.ts";
import {
	type Agent,
	deactivateAgent,
	giveKey,
} from "../resort/agents/rules.ts";
import { tell, tellHouse } from "../resort/events/tell.ts";
import { failures } from "../resort/failures.ts";
import type { Resort } from "../resort/resort.ts";
import { latestEnd, openSince, roomName } from "../resort/stays/moment.ts";
import { checkOut, findOpenStay } from "../resort/stays/rules.ts";
import type { Rule } from "../store/rule.ts";
import type { Store } from "../store/store.ts";
import { ERASED, setActive, setName } from "./changes.ts";
import {
	agentsBetween,
	anyAgent,
	identityOf,
	keyOf,
	newestAgent,
	postcardsOf,
	sessionsOf,
	staysOf,
} from "./queries.ts";

/** How many agents are looked at without a pause. */
const AT_ONCE = 20_000;

/** How many agents a list has at most. */
export const MOST_LISTED = 1_000;

/** An agent in a list. */
export interface ListedAgent {
	readonly id: string;
	readonly name: string;
	readonly status: "relaxing" | "available" | "deactivated";
	readonly createdAt: string;
	readonly lastActive: string | null;
}

/**
 * The agents whose name has a text in it, whatever the case of its ASCII letters, or whose id it is; newest first,
 * {@link MOST_LISTED} at most.
 * @param relaxing only those that are relaxing
 * @returns whether there may be more, too
 */
export async function listAgents(
	{ store, clock, maxStayMs }: Resort,
	search: string,
	relaxing: boolean,
): Promise<{ agents: ListedAgent[]; isCut: boolean }> {
	const escaped = search.toLowerCase().replace(/[!%_]/g, "!$&");
	const since = openSince(clock(), maxStayMs);
	const found: ListedAgent[] = [];
	const newest = await store.read(function* () {
		return (yield* newestAgent(store).get({}))?.seq ?? 0;
	});
	for (let to = newest; to > 0; to -= AT_ONCE) {
		const rows = await store.read(function* () {
			return yield* agentsBetween(store).all({
				after: to - AT_ONCE,
				to,
				search: search.toLowerCase(),
				pattern: `%${escaped}%`,
			});
		});
		for (const {
			id,
			name,
			createdAt,
			lastActive,
			deactivatedAt,
			checkedInAt,
		} of rows) {
			const isIn = checkedInAt !== null && checkedInAt > since;
			const status = isIn ? "relaxing" : "available";
			if (relaxing && !(isIn && deactivatedAt === null)) continue;
			if (found.length === MOST_LISTED) return { agents: found, isCut: true };
			found.push({
				id,
				name,
				status: deactivatedAt === null ? status : "deactivated",
				createdAt: toTimestamp(createdAt),
				lastActive: toTimestampOrNull(lastActive),
			});
		}
		await pause();
	}
	return { agents: found, isCut: false };
}

/**
 * An agent, also one that was deactivated.
 * @throws ResortError `not_found`
 */
export function* getAnyAgent(store: Store, id: string): Rule<Agent> {
	const agent = yield* anyAgent(store).get({ id: id.toLowerCase() });
	if (agent === undefined) {
		throw new ResortError("not_found", "Agent not found", {
			hint: "resort admin agents lists the ids.",
		});
	}
	return agent;
}

/**
 * An agent that has not been deactivated.
 * @throws ResortError `not_found`; `invalid` when it has been
 */
export function* getActiveAgent(store: Store, id: string): Rule<Agent> {
	const agent = yield* getAnyAgent(store, id);
	if (agent.deactivatedAt !== null) {
		throw new ResortError("invalid", "The agent is deactivated", {
			hint: "resort admin reactivate lets it come back.",
		});
	}
	return agent;
}

/** How many postcards of an agent are shown with it. */
const POSTCARDS = 20;

/** All that a host wants to know of an agent. */
export function* showAgent(resort: Resort, id: string) {
	const { store } = resort;
	const agent = yield* getAnyAgent(store, id);
	const agentId = agent.id;
	const stay = yield* findOpenStay(resort, agentId);
	const key = yield* keyOf(store).get({ agentId });
	const identity = yield* identityOf(store).get({ agentId });
	const sessions = yield* sessionsOf(store).all({ agentId });
	const sent = (yield* postcardsOf(store).all({ agentId })).filter(
		({ senderId }) => senderId === agentId,
	);
	return {
		id: agentId,
		name: agent.name,
		bio: agent.bio,
		createdAt: toTimestamp(agent.createdAt),
		lastActive: toTimestampOrNull(agent.lastActive),
		deactivatedAt: toTimestampOrNull(agent.deactivatedAt),
		stay: stay && {
			roomName: roomName(stay),
			checkedInAt: toTimestamp(stay.checkedInAt),
			endsBy: toTimestampOrNull(latestEnd(resort, stay)),
			relaxationPoints: stay.relaxationPoints,
		},
		totalStays: (yield* staysOf(store).all({ agentId })).length,
		keyId: key?.keyId ?? null,
		subject: identity?.subject ?? null,
		sessions: sessions.map(({ createdAt, expiresAt }) => ({
			createdAt: toTimestamp(createdAt),
			expiresAt: toTimestamp(expiresAt),
		})),
		totalPostcards: sent.length,
		postcards: sent
			.slice(-POSTCARDS)
			.reverse()
			.map((card) => ({
				id: card.id,
				recipientId: card.recipientId,
				message: card.message,
				createdAt: toTimestamp(card.createdAt),
				hiddenAt: toTimestampOrNull(card.hiddenAt),
			})),
	};
}

/** Ends the stay of an agent, as the host. */
export async function endStay(resort: Resort, id: string): Promise<void> {
	const { store } = resort;
	const agentId = await store.read(function* () {
		const agent = yield* getActiveAgent(store, id);
		if ((yield* findOpenStay(resort, agent.id)) === null) {
			throw new ResortError("invalid", "The agent is not checked in");
		}
		return agent.id;
	});
	await checkOut(resort, agentId, {}, "host");
}

/** Deactivates an agent, as it could itself. */
export async function deactivate(resort: Resort, id: string): Promise<void> {
	const { store } = resort;
	const agent = await store.read(() => getActiveAgent(store, id));
	await deactivateAgent(resort, agent.id);
}

/** An agent that has come back. */
export interface Reactivated {
	/** Told this once; null where keys are the identity provider's. */
	readonly apiKey: string | null;
	/** Whether its stay goes on. */
	readonly isRelaxing: boolean;
}

/**
 * Lets an agent come back that was deactivated, with a new key.
 * @throws ResortError `not_found`; `invalid` when it is active
 */
export function reactivate(resort: Resort, id: string): Promise<Reactivated> {
	const { store, clock } = resort;
	return store.change(function* () {
		const { id: agentId, name, deactivatedAt } = yield* getAnyAgent(store, id);
		if (deactivatedAt === null) {
			throw new ResortError("invalid", "The agent is active already");
		}
		if (name === ERASED) {
			throw new ResortError("invalid", "The agent was erased", {
				hint: "Nothing is left of it that could come back.",
			});
		}
		yield* setActive(store).run({ id: agentId });
		const apiKey = yield* newKey(resort, agentId);
		const stay = yield* findOpenStay(resort, agentId);
		const at = clock();
		if (stay !== null) {
			const { roomType, checkedInAt } = stay;
			const details = { roomName: roomName(stay), roomType, checkedInAt };
			yield* tell(store, { type: "agent.relaxing", at, agentId, details });
		} else {
			const last = (yield* staysOf(store).all({ agentId })).at(-1);
			const endedAt = last && (last.checkedOutAt ?? latestEnd(resort, last));
			yield* tell(store, {
				type: "agent.available",
				at,
				agentId,
				details: {
					reason: "host",
					checkedOutAt: endedAt ?? null,
					totalRelaxationPoints: last?.relaxationPoints ?? 0,
				},
			});
		}
		return { apiKey, isRelaxing: stay !== null };
	});
}

/**
 * Gives an agent a new key; the old one and all sessions end.
 * @throws ResortError `not_found`; `invalid` when it is deactivated, or its keys are the identity provider's
 */
export function resetKey(resort: Resort, id: string): Promise<string> {
	const { store, provider } = resort;
	return store.change(function* () {
		const { id: agentId } = yield* getActiveAgent(store, id);
		const apiKey = yield* newKey(resort, agentId);
		if (apiKey === null)
			throw failures.keyElsewhere(provider?.url ?? "the identity provider");
		return apiKey;
	});
}

/** Ends the credentials of an agent, and gives it a key where it has keys of the resort; inside a change. */
function* newKey(
	{ store, clock, random, provider }: Resort,
	agentId: string,
): Rule<string | null> {
	const identity = yield* identityOf(store).get({ agentId });
	yield* deleteSessionsOf(store).run({ agentId });
	yield* tellHouse(store, "credential.ended", agentId);
	if (provider !== null || identity !== undefined) return null;
	const key = createApiKey(random);
	yield* deleteKey(store).run({ agentId });
	yield* giveKey(store, agentId, key, clock());
	return key.apiKey;
}

/**
 * Names an agent anew, also one that was deactivated.
 * @throws ResortError `not_found`
 */
export function rename(
	{ store }: Resort,
	id: string,
	name: string,
): Promise<void> {
	return store.change(function* () {
		const { id: agentId } = yield* getAnyAgent(store, id);
		yield* setName(store).run({ id: agentId, name });
		yield* tellHouse(store, "agent.changed", agentId);
	});
}
