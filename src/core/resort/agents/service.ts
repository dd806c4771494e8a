import { briefThemes } from "../../../content/brief-themes.ts";
import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { createApiKey, sha256 } from "../../lib/credential.ts";
import { pickOne, pickSome, type Random } from "../../lib/random.ts";
import { requireRow } from "../../store/query.ts";
import type { agents } from "../../store/tables.ts";
import type { Task } from "../../store/task.ts";
import { publish, publishInternal } from "../events/publish.ts";
import { failures } from "../failures.ts";
import { admitRegistration } from "../registration-invites/service.ts";
import type { ServiceContext } from "../service-context.ts";
import { deleteOtherSessions, sessionByToken } from "../sessions/queries.ts";
import { tokenOf } from "../sessions/service.ts";
import type { AuthenticatedAgent, Caller } from "./authenticated-agent.ts";
import {
	type AgentProfile,
	type IdentityBrief,
	profileNames,
	type RegisterBody,
	UpdateProfileBody,
} from "./model.ts";
import {
	activeAgent,
	activeBetween,
	deleteKey,
	deleteSessionsOf,
	insertAgent,
	insertKey,
	keyOfAgent,
	newestSeq,
	setDeactivated,
	updateAgent,
} from "./queries.ts";

/** The number of rows that one query counts. Such a query takes about 3 ms. */
const ROWS_AT_ONCE = 20_000;

/** A row of the agents table. */
export type Agent = typeof agents.$inferSelect;

/** Returns an active agent by its id in upper or lower case; null if there is none. */
export function* findAgent({ store }: ServiceContext, id: string): Task<Agent | null> {
	return (yield* activeAgent(store).get({ id: id.toLowerCase() })) ?? null;
}

/** Returns an active agent. @throws ResortError `not_found` */
export function* getAgent(context: ServiceContext, id: string): Task<Agent> {
	const agent = yield* findAgent(context, id);
	if (agent === null) throw failures.agentNotFound();
	return agent;
}

/**
 * Returns the profile of an authenticated agent.
 * @throws ResortError `unauthorized` if the agent has been deactivated in the meantime
 */
export function* getOwnProfile(context: ServiceContext, { id }: AuthenticatedAgent): Task<AgentProfile> {
	const agent = yield* findAgent(context, id);
	if (agent === null) throw failures.unauthorized(context);
	return toProfile(agent);
}

/** Counts the active agents in several queries, so that other calls are handled in between. */
export async function countAgents({ store }: ServiceContext): Promise<number> {
	const last = (await store.read(() => newestSeq(store).get({})))?.seq ?? 0;
	let total = 0;
	for (let after = 0; after < last; after += ROWS_AT_ONCE) {
		if (after > 0) await Bun.sleep(0);
		const range = { after, to: after + ROWS_AT_ONCE };
		total += requireRow(await store.read(() => activeBetween(store).get(range))).count;
	}
	return total;
}

/**
 * Registers an agent. Call it inside a transaction.
 * @returns the agent and its key, which cannot be retrieved later
 * @throws ResortError `forbidden` or `invalid` if the registration is refused
 */
export function* registerAgent(
	context: ServiceContext,
	{ inviteCode, ...body }: RegisterBody,
): Task<{ agent: Agent; apiKey: string }> {
	const { store, clock, random } = context;
	const nowMs = clock();
	yield* admitRegistration(context, inviteCode || null);
	const key = createApiKey(random);
	const agent = yield* makeAgent(context, body, nowMs);
	yield* insertKey(store).run({ ...key, agentId: agent.id, createdAt: nowMs });
	return { agent, apiKey: key.apiKey };
}

/**
 * Inserts an agent without a credential. Call it inside a transaction.
 * @param createdAt in milliseconds since the epoch
 */
export function* makeAgent(
	{ store, random }: ServiceContext,
	profile: RegisterBody,
	createdAt: number,
): Task<Agent> {
	const row = { ...toColumns(profile), id: random.uuid(createdAt), createdAt, newestStay: 0 };
	return requireRow(yield* insertAgent(store).get(row));
}

/**
 * Updates an agent's profile. Omitted fields stay unchanged. Call it inside a transaction that has locked the
 * agent.
 */
export function* updateProfile(
	context: ServiceContext,
	agentId: string,
	body: UpdateProfileBody,
): Task<Agent> {
	const { store } = context;
	const profile = { ...(yield* getAgent(context, agentId)), ...body };
	const agent = requireRow(yield* updateAgent(store).get({ ...toColumns(profile), id: agentId }));
	yield* publishInternal(store, "agent.changed", agentId);
	return agent;
}

/**
 * Deactivates an active agent: hides its profile, and ends its key, its sessions, and whatever depends on its
 * key, such as webhooks. All other data is kept. Call it inside a transaction.
 */
export function* leave(context: ServiceContext, agentId: string): Task<void> {
	const { store, clock } = context;
	const at = clock();
	yield* setDeactivated(store).run({ id: agentId, deactivatedAt: at });
	yield* deleteKey(store).run({ agentId });
	yield* deleteSessionsOf(store).run({ agentId });
	yield* context.endDependents(store, agentId);
	yield* publish(store, { type: "agent.gone", at, agentId });
}

/**
 * Requires that the credential of a call, a key of this resort or a session, has not ended while the call
 * waited. Other credentials are not checked again, because the resort relies on the identity provider's last
 * answer for longer than a call waits. Call it inside the transaction of the call.
 * @throws ResortError `unauthorized`
 */
export function* requireCredential(context: ServiceContext, { agent, credential }: Caller): Task<void> {
	const { store } = context;
	let isCurrent = true;
	if (credential.kind === "key") {
		const key = yield* keyOfAgent(store).get({ agentId: agent.id });
		isCurrent = key?.keyId === credential.keyId;
	} else if (credential.kind === "session") {
		const tokenHash = sha256(credential.token);
		isCurrent = (yield* sessionByToken(store).get({ tokenHash })) !== undefined;
	}
	if (!isCurrent) throw failures.unauthorized(context);
}

/**
 * Replaces the key of an agent. Ends what depends on the old key, such as webhooks, and all sessions of the
 * agent except the session of the call. Call it inside a transaction that has locked the agent.
 * @returns the new key, and a hint if something other than sessions has ended
 * @throws ResortError `unauthorized` if the credential has ended in the meantime; `invalid` if an identity
 * provider manages the keys
 */
export function* rotateApiKey(context: ServiceContext, caller: Caller) {
	const { store, provider } = context;
	if (provider !== null) throw failures.keyElsewhere(provider.url);
	const agentId = caller.agent.id;
	yield* requireCredential(context, caller);
	yield* deleteOtherSessions(store).run({ agentId, kept: sha256(tokenOf(caller.credential)) });
	const { apiKey, ended } = yield* replaceKey(context, agentId);
	return ended.hint === null ? { apiKey } : { apiKey, hint: String(ended.hint) };
}

/**
 * Replaces the key of an agent, and ends what depends on the old one. Call it inside a transaction.
 * @returns the new key, and what has ended
 */
export function* replaceKey(context: ServiceContext, agentId: string) {
	const { store, clock, random } = context;
	const key = createApiKey(random);
	yield* deleteKey(store).run({ agentId });
	yield* insertKey(store).run({ ...key, agentId, createdAt: clock() });
	const ended = yield* context.endDependents(store, agentId);
	yield* publishInternal(store, "credential.ended", agentId);
	return { apiKey: key.apiKey, ended };
}

/**
 * Returns the profile of an agent as other agents see it: without the agent's texts if the operator has
 * hidden them with `hide agent`.
 */
export function toPublicProfile(agent: Agent): AgentProfile {
	const { name, textsHiddenAt } = agent;
	const hidden = textsHiddenAt === null ? {} : toColumns({ name });
	return toProfile({ ...agent, ...hidden });
}

/** Returns the profile of an agent as the agent itself sees it. */
export function toProfile(agent: Agent): AgentProfile {
	return {
		...agent,
		createdAt: toTimestamp(agent.createdAt),
		lastActive: toTimestampOrNull(agent.lastActive),
	};
}

/**
 * Converts validated fields of a profile to columns. An empty or missing text becomes null, a missing list
 * becomes empty, and empty texts are removed from lists.
 */
export function toColumns(
	profile: RegisterBody | UpdateProfileBody,
): Pick<Agent, (typeof profileNames)[number]> {
	return Object.fromEntries(
		profileNames.map((name) => {
			const value = profile[name];
			if (Array.isArray(value)) return [name, value.filter(Boolean)];
			const isList = UpdateProfileBody.properties[name].type === "array";
			return [name, value || (isList ? [] : null)];
		}),
	) as ReturnType<typeof toColumns>;
}

/** Creates random suggestions for an identity. All suggestions are from the same theme. */
export function createIdentityBrief(random: Random): IdentityBrief {
	const theme = pickOne(random, briefThemes);
	return {
		roomType: pickOne(random, theme.roomTypes),
		relaxationStyle: pickOne(random, theme.relaxationStyles),
		persona: pickOne(random, theme.personas),
		comfortObject: pickOne(random, theme.comfortObjects),
		ambientSound: pickOne(random, theme.ambientSounds),
		secretIndulgence: pickOne(random, theme.secretIndulgences),
		nameSeeds: pickSome(random, theme.nameSeeds, 4),
	};
}
