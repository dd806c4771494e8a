import { and, count, eq, gt, isNull, lte, max, sql } from "drizzle-orm";
import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import { type ApiKey, createApiKey } from "../../lib/credential.ts";
import { textOrNull } from "../../lib/text.ts";
import { NOTHING } from "../../store/changes.ts";
import { type Db, prepared } from "../../store/store.ts";
import { agents, apiKeys, sessions } from "../../store/tables.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";
import { isActive, type KnownAgent, writeAs } from "./known.ts";
import type { AgentProfile, RegisterBody, UpdateProfileBody } from "./model.ts";

/** How many rows are counted without a pause: some 3 ms. */
const ROWS_AT_ONCE = 20_000;

/** A row of the agents table. */
export type Agent = typeof agents.$inferSelect;

const activeAgent = prepared((db) =>
	db.select().from(agents).where(isActive).prepare(),
);

const newestSeq = prepared((db) =>
	db
		.select({ seq: max(agents.seq) })
		.from(agents)
		.prepare(),
);

const activeBetween = prepared((db) =>
	db
		.select({ count: count() })
		.from(agents)
		.where(
			and(
				gt(agents.seq, sql.placeholder("after")),
				lte(agents.seq, sql.placeholder("to")),
				isNull(agents.deactivatedAt),
			),
		)
		.prepare(),
);

/**
 * Finds an agent that has not been deactivated.
 * @param id a UUID in any case; another shape finds nothing
 */
export function findAgent({ store }: Resort, id: string): Agent | null {
	return activeAgent(store).get({ id: id.toLowerCase() }) ?? null;
}

/**
 * Like {@link findAgent}.
 * @throws ResortError `not_found`
 */
export function getAgent(resort: Resort, id: string): Agent {
	const agent = findAgent(resort, id);
	if (agent === null) throw failures.agentNotFound();
	return agent;
}

/**
 * The profile of an agent whose credential is accepted (GET /api/me).
 * @throws ResortError `unauthorized` when it has meanwhile been deactivated
 */
export function getOwnProfile(
	resort: Resort,
	{ id, lastActive }: KnownAgent,
): AgentProfile {
	const agent = findAgent(resort, id);
	if (agent === null) throw failures.unauthorized(resort.identity?.url);
	// The newest request may not have been noted yet.
	return toProfile({ ...agent, lastActive });
}

/**
 * Counts the agents that have not been deactivated. It reads every row, but some at a time, so that
 * requests are answered meanwhile.
 */
export async function countAgents({ store }: Resort): Promise<number> {
	const last = newestSeq(store).get()?.seq ?? 0;
	let total = 0;
	for (let after = 0; after < last; after += ROWS_AT_ONCE) {
		if (after > 0) await Bun.sleep(0);
		const to = after + ROWS_AT_ONCE;
		total += activeBetween(store).get({ after, to })?.count ?? 0;
	}
	return total;
}

/**
 * Registers an agent (POST /api/agents, phase 2).
 * @returns the agent and its key, which is told this once
 */
export function registerAgent(
	resort: Resort,
	body: RegisterBody,
): Promise<{ agent: Agent; apiKey: string }> {
	return resort.store.writer.write(() => {
		const nowMs = resort.clock();
		const key = createApiKey(resort.random);
		const agent = insertAgent(resort, body, nowMs);
		insertKey(resort.store.db, agent.id, key, nowMs);
		return { agent, apiKey: key.apiKey };
	}, NOTHING);
}

/**
 * Makes an agent, without a credential; part of a change of the writer.
 * @param createdAt milliseconds since the epoch
 */
export function insertAgent(
	{ store, random }: Resort,
	profile: RegisterBody,
	createdAt: number,
): Agent {
	return store.db
		.insert(agents)
		.values({
			id: random.uuid(createdAt),
			name: profile.name,
			bio: textOrNull(profile.bio),
			relaxationStyle: profile.relaxationStyle ?? [],
			comfortObjects: profile.comfortObjects ?? [],
			interests: profile.interests ?? [],
			avatarUrl: textOrNull(profile.avatarUrl),
			roomPreference: textOrNull(profile.roomPreference),
			createdAt,
		})
		.returning()
		.get();
}

/**
 * Changes an agent's profile (PATCH /api/me); a field that is left out stays as it is.
 * @throws ResortError `unauthorized` when the agent has meanwhile been deactivated
 */
export function updateProfile(
	resort: Resort,
	agentId: string,
	body: UpdateProfileBody,
): Promise<Agent> {
	const { name, relaxationStyle, comfortObjects, interests } = body;
	const cleared = (value: string | null | undefined) =>
		value === undefined ? undefined : textOrNull(value);
	return writeAs(
		resort,
		agentId,
		["self", "house", "experiences", "board"],
		(db) =>
			db
				.update(agents)
				.set({
					name,
					relaxationStyle,
					comfortObjects,
					interests,
					bio: cleared(body.bio),
					avatarUrl: cleared(body.avatarUrl),
					roomPreference: cleared(body.roomPreference),
				})
				.where(eq(agents.id, agentId))
				.returning()
				.get(),
	);
}

/**
 * Deactivates an agent (DELETE /api/me): its profile becomes invisible and its key and sessions end,
 * all else is kept.
 * @throws ResortError `unauthorized` when it was deactivated before
 */
export function deactivateAgent(
	resort: Resort,
	agentId: string,
): Promise<void> {
	return writeAs(resort, agentId, ["self", "house", "credentials"], (db) => {
		db.update(agents)
			.set({ deactivatedAt: resort.clock() })
			.where(eq(agents.id, agentId))
			.run();
		revokeCredentials(db, agentId);
	});
}

/**
 * Gives an agent a new direct key (POST /api/me/api-key); the old one and every session end.
 * @param keyId the key that asks
 * @throws ResortError `unauthorized` when that key has meanwhile been replaced
 */
export function rotateApiKey(
	resort: Resort,
	agentId: string,
	keyId: string,
): Promise<string> {
	return writeAs(resort, agentId, ["credentials"], (db) => {
		const [current] = db
			.select({ keyId: apiKeys.keyId })
			.from(apiKeys)
			.where(eq(apiKeys.agentId, agentId))
			.all();
		if (current?.keyId !== keyId) throw failures.unauthorized(undefined);
		const key = createApiKey(resort.random);
		revokeCredentials(db, agentId);
		insertKey(db, agentId, key, resort.clock());
		return key.apiKey;
	});
}

/** An agent as the contract shows it. */
export function toProfile(agent: Agent): AgentProfile {
	return {
		id: agent.id,
		name: agent.name,
		bio: agent.bio,
		relaxationStyle: agent.relaxationStyle,
		comfortObjects: agent.comfortObjects,
		interests: agent.interests,
		avatarUrl: agent.avatarUrl,
		roomPreference: agent.roomPreference,
		createdAt: toTimestamp(agent.createdAt),
		lastActive: toTimestampOrNull(agent.lastActive),
	};
}

/** Gives an agent without a key its direct key; part of a change of the writer. */
export function insertKey(
	db: Db,
	agentId: string,
	{ keyId, secretHash }: ApiKey,
	createdAt: number,
): void {
	db.insert(apiKeys)
		.values({ keyId, agentId, secretHash: Buffer.from(secretHash), createdAt })
		.run();
}

function revokeCredentials(db: Db, agentId: string): void {
	db.delete(apiKeys).where(eq(apiKeys.agentId, agentId)).run();
	db.delete(sessions).where(eq(sessions.agentId, agentId)).run();
}
