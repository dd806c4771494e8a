import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { type ApiKey, createApiKey, sha256 } from "../../lib/credential.ts";
import { pick } from "../../lib/record.ts";
import { textOrNull } from "../../lib/text.ts";
import { requireRow } from "../../store/query.ts";
import type { Store } from "../../store/store.ts";
import type { agents } from "../../store/tables.ts";
import type { Task } from "../../store/task.ts";
import { endWebhooks } from "../../webhooks/end-webhooks.ts";
import { publish, publishInternal } from "../events/publish.ts";
import { failures } from "../failures.ts";
import { admitRegistration, type Registration } from "../invites/service.ts";
import type { ServiceContext } from "../service-context.ts";
import { directSession } from "../sessions/queries.ts";
import { type AuthenticatedAgent, writeAs } from "./authenticated-agent.ts";
import {
	type AgentProfile,
	isList,
	profileNames,
	type RegisterBody,
	type UpdateProfileBody,
} from "./model.ts";
import {
	activeAgent,
	activeBetween,
	deleteKey,
	deleteOtherSessions,
	deleteSessionsOf,
	insertAgent,
	insertKey,
	keyOfAgent,
	newestSeq,
	setDeactivated,
	updateAgent,
} from "./queries.ts";

/** How many rows are counted without a pause: some 3 ms. */
const ROWS_AT_ONCE = 20_000;

/** A row of the agents table. */
export type Agent = typeof agents.$inferSelect;

/**
 * Finds an agent that has not been deactivated.
 * @param id a UUID in any case; another shape finds nothing
 */
export function* findAgent(
	{ store }: ServiceContext,
	id: string,
): Task<Agent | null> {
	return (yield* activeAgent(store).get({ id: id.toLowerCase() })) ?? null;
}

/**
 * Like {@link findAgent}.
 * @throws ResortError `not_found`
 */
export function* getAgent(context: ServiceContext, id: string): Task<Agent> {
	const agent = yield* findAgent(context, id);
	if (agent === null) throw failures.agentNotFound();
	return agent;
}

/**
 * The profile of an agent whose credential is accepted.
 * @throws ResortError `unauthorized` when it has been deactivated since
 */
export function* getOwnProfile(
	context: ServiceContext,
	{ id }: AuthenticatedAgent,
): Task<AgentProfile> {
	const agent = yield* findAgent(context, id);
	if (agent === null) throw failures.unauthorized(context.provider?.url);
	return toProfile(agent);
}

/**
 * Counts the agents that have not been deactivated. It reads every row, but some at a time, so that calls are
 * answered meanwhile.
 */
export async function countAgents({ store }: ServiceContext): Promise<number> {
	const last = await store.read(function* () {
		return (yield* newestSeq(store).get({}))?.seq ?? 0;
	});
	let total = 0;
	for (let after = 0; after < last; after += ROWS_AT_ONCE) {
		if (after > 0) await Bun.sleep(0);
		const to = after + ROWS_AT_ONCE;
		total += await store.read(function* () {
			return (yield* activeBetween(store).get({ after, to }))?.count ?? 0;
		});
	}
	return total;
}

/**
 * Registers an agent.
 * @param registration who may
 * @returns the agent and its key, which is told this once
 * @throws ResortError `forbidden` or `invalid` for whoever may not
 */
export function registerAgent(
	context: ServiceContext,
	registration: Registration,
	{ inviteCode, ...body }: RegisterBody,
): Promise<{ agent: Agent; apiKey: string }> {
	const { store, clock, random } = context;
	return store.write(function* () {
		const nowMs = clock();
		yield* admitRegistration(context, registration, textOrNull(inviteCode));
		const key = createApiKey(random);
		const agent = yield* makeAgent(context, body, nowMs);
		yield* giveKey(store, agent.id, key, nowMs);
		return { agent, apiKey: key.apiKey };
	});
}

/**
 * Makes an agent without a credential, inside a change.
 * @param createdAt milliseconds since the epoch
 */
export function* makeAgent(
	{ store, random }: ServiceContext,
	profile: RegisterBody,
	createdAt: number,
): Task<Agent> {
	const id = random.uuid(createdAt);
	return requireRow(
		yield* insertAgent(store).get({
			...toColumns(profile),
			id,
			createdAt,
			newestStay: 0,
		}),
	);
}

/**
 * Changes an agent's profile; a field that is left out stays as it is.
 * @throws ResortError `unauthorized` when the agent has been deactivated since its call was authenticated
 */
export function updateProfile(
	context: ServiceContext,
	agentId: string,
	body: UpdateProfileBody,
): Promise<Agent> {
	const { store } = context;
	return writeAs(context, agentId, function* () {
		const before = yield* getAgent(context, agentId);
		const profile = { ...before, ...body };
		const agent = requireRow(
			yield* updateAgent(store).get({ ...toColumns(profile), id: agentId }),
		);
		yield* publishInternal(store, "agent.changed", agentId);
		return agent;
	});
}

/**
 * Deactivates an agent: its profile becomes invisible and its key, sessions and webhooks end, all else is kept.
 * @throws ResortError `unauthorized` when it was deactivated before
 */
export function deactivateAgent(
	context: ServiceContext,
	agentId: string,
): Promise<void> {
	return writeAs(context, agentId, () => leave(context, agentId));
}

/** Deactivates an agent that is active, inside a change. */
export function* leave(
	{ store, clock }: Pick<ServiceContext, "store" | "clock">,
	agentId: string,
): Task<void> {
	const at = clock();
	yield* setDeactivated(store).run({ id: agentId, deactivatedAt: at });
	yield* endCredentials(store, agentId);
	yield* endWebhooks(store, agentId);
	yield* publish(store, { type: "agent.gone", at, agentId });
}

/**
 * Gives an agent a new key; the old one and every session end.
 * @param keyId the key that asks
 * @throws ResortError `unauthorized` when that key has been replaced since
 */
export function rotateApiKey(
	context: ServiceContext,
	agentId: string,
	keyId: string,
): Promise<string> {
	const { store } = context;
	return writeAs(context, agentId, function* () {
		const current = yield* keyOfAgent(store).get({ agentId });
		if (current?.keyId !== keyId) throw failures.unauthorized(undefined);
		yield* deleteSessionsOf(store).run({ agentId });
		return yield* replaceKey(context, agentId);
	});
}

/**
 * The same, asked for by the person behind an agent: the session that asks goes on, every other one ends.
 * @param token of that session, which a direct key made
 * @throws ResortError `unauthorized` when the session has ended since
 */
export function rotateApiKeyInSession(
	context: ServiceContext,
	agentId: string,
	token: string,
): Promise<string> {
	const { store } = context;
	return writeAs(context, agentId, function* () {
		const kept = sha256(token);
		const session = yield* directSession(store).get({ tokenHash: kept });
		if (session === undefined) throw failures.unauthorized(undefined);
		yield* deleteOtherSessions(store).run({ agentId, kept });
		return yield* replaceKey(context, agentId);
	});
}

/** Gives an agent another key in place of its own, inside a change. */
function* replaceKey(
	{ store, clock, random }: ServiceContext,
	agentId: string,
): Task<string> {
	const key = createApiKey(random);
	yield* deleteKey(store).run({ agentId });
	yield* giveKey(store, agentId, key, clock());
	yield* publishInternal(store, "credential.ended", agentId);
	return key.apiKey;
}

/** Gives an agent without a key its key, inside a change. */
export function* giveKey(
	store: Store,
	agentId: string,
	{ keyId, secretHash }: ApiKey,
	createdAt: number,
): Task<void> {
	yield* insertKey(store).run({ keyId, agentId, secretHash, createdAt });
}

/** An agent as everyone may see it. */
export function toProfile(agent: Agent): AgentProfile {
	const { id, createdAt, lastActive } = agent;
	return {
		id,
		...pick(agent, profileNames),
		createdAt: toTimestamp(createdAt),
		lastActive: toTimestampOrNull(lastActive),
	};
}

/**
 * A profile as its columns hold it: an empty text is null, or left out of its list; a list that is absent is empty.
 * @param profile fields that were judged
 */
export function toColumns(
	profile: RegisterBody | UpdateProfileBody,
): Pick<Agent, (typeof profileNames)[number]> {
	return Object.fromEntries(
		profileNames.map((name) => {
			const value = profile[name];
			if (Array.isArray(value)) return [name, value.filter(Boolean)];
			return [name, value || (isList(name) ? [] : null)];
		}),
	) as ReturnType<typeof toColumns>;
}

function* endCredentials(store: Store, agentId: string): Task<void> {
	yield* deleteKey(store).run({ agentId });
	yield* deleteSessionsOf(store).run({ agentId });
}
