/** The operations of the host that register or change an agent. */
import { pick } from "../../core/lib/record.ts";
import { invalid } from "../../core/lib/resort-error.ts";
import { RegisterBody, UpdateProfileBody } from "../../core/resort/agents/model.ts";
import { deleteSessionsOf, setDeactivated } from "../../core/resort/agents/queries.ts";
import { type Agent, leave, registerAgent, replaceKey } from "../../core/resort/agents/service.ts";
import { publish, publishInternal } from "../../core/resort/events/publish.ts";
import { failures } from "../../core/resort/failures.ts";
import { firstOf } from "../../core/resort/lists.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import { staysOfAgent } from "../../core/resort/stays/queries.ts";
import {
	closeStay,
	endOverdueStay,
	findOpenStay,
	roomName,
	toStayInfo,
} from "../../core/resort/stays/service.ts";
import { checkNames, trimStrings, validateBody } from "../../core/resort/validation.ts";
import { EXTERNAL_CHANGE } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { lockAgent } from "./any-agent.ts";
import type { Arguments } from "./arguments.ts";
import { changeRows } from "./change-rows.ts";
import { archiveAllOf, ERASED, isErased } from "./erasures.ts";
import { type AdminContext, record } from "./history.ts";
import { identityOf, setName } from "./queries.ts";

/**
 * Registers an agent with a name and the other fields of its profile, regardless of `--registration` and rate
 * limits. Returns the key, which cannot be retrieved later.
 * @throws ResortError `invalid` if the profile is invalid, or the identity provider registers agents
 */
export async function register(context: AdminContext, { name, profile }: Arguments) {
	const { provider } = context;
	if (provider !== null) throw failures.keyElsewhere(provider.url);
	const sent = trimStrings({ ...profile, name }) as object;
	checkNames("field", [UpdateProfileBody], sent, { isStrict: true });
	const body = validateBody(RegisterBody, sent) as RegisterBody;
	return record(context, function* () {
		const { agent, apiKey } = yield* registerAgent({ ...context, registration: "open" }, body);
		return { id: agent.id, name: agent.name, apiKey };
	});
}

/** Locks an agent that is not erased. @throws ResortError `not_found`; `invalid` if it is erased */
function* lockKept({ store }: ServiceContext, id: string): Task<Agent> {
	const agent = yield* lockAgent(store, id);
	if (!isErased(agent)) return agent;
	throw invalid("The agent was erased", { hint: "An erased agent cannot be reactivated or changed." });
}

/** Locks an active agent. @throws ResortError `not_found`; `invalid` if it is deactivated or erased */
function* lockActive(context: ServiceContext, id: string): Task<Agent> {
	const agent = yield* lockKept(context, id);
	if (agent.deactivatedAt === null) return agent;
	throw invalid("The agent is deactivated", { hint: "Reactivate it first." });
}

/**
 * Ends the stay of an agent. @throws ResortError `not_found`; `invalid` if it is not active or has no stay
 */
export function endStay(context: AdminContext, { id }: Arguments) {
	return record(context, function* () {
		const agent = yield* lockActive(context, id);
		const open = yield* findOpenStay(context, agent.id);
		if (open === null) throw invalid("The agent is not checked in");
		const stay = toStayInfo(yield* closeStay(context, open, "host"));
		const shown = pick(stay, ["roomName", "checkedInAt", "checkedOutAt", "relaxationPoints"]);
		return { id: agent.id, name: agent.name, stay: shown };
	});
}

/**
 * Deactivates an agent, as the agent itself can with `DELETE /api/me`.
 * @throws ResortError `not_found`; `invalid` if it is not active
 */
export function deactivate(context: AdminContext, { id }: Arguments) {
	return record(context, function* () {
		const agent = yield* lockActive(context, id);
		yield* leave(context, agent.id);
		return pick(agent, ["id", "name"]);
	});
}

/**
 * Reactivates an agent, and publishes its status. Returns a new key; null if the identity provider manages
 * keys.
 * @throws ResortError `not_found`; `invalid` if the agent is active or erased
 */
export function reactivate(context: AdminContext, { id }: Arguments) {
	const { store, clock } = context;
	return record(context, function* () {
		const { id: agentId, name, deactivatedAt } = yield* lockKept(context, id);
		if (deactivatedAt === null) throw invalid("The agent is already active");
		// Ends an overdue stay while the agent is still deactivated, because this publishes no event. Otherwise,
		// the sweeper would later publish `agent.available` in addition to the event below.
		yield* endOverdueStay(context, agentId);
		yield* setDeactivated(store).run({ id: agentId, deactivatedAt: null });
		const apiKey = (yield* newKey(context, agentId))?.apiKey ?? null;
		const stay = yield* findOpenStay(context, agentId);
		const at = clock();
		if (stay !== null) {
			const { roomType, checkedInAt } = stay;
			const details = { roomName: roomName(stay), roomType, checkedInAt };
			yield* publish(store, { type: "agent.relaxing", at, agentId, details });
		} else {
			const [last] = yield* firstOf(store, staysOfAgent, { values: { agentId }, limit: 1 });
			const { checkedOutAt = null, relaxationPoints: totalRelaxationPoints = 0 } = last ?? {};
			const details = { reason: "host", checkedOutAt, totalRelaxationPoints } as const;
			yield* publish(store, { type: "agent.available", at, agentId, details });
		}
		return { id: agentId, name, apiKey, status: stay === null ? "available" : "relaxing" };
	});
}

/**
 * Replaces an agent's key: the old one and all sessions become invalid, and all webhooks end.
 * @throws ResortError `not_found`; `invalid` if the agent is not active, or the identity provider manages
 * keys
 */
export function resetKey(context: AdminContext, { id }: Arguments) {
	return record(context, function* () {
		const agent = yield* lockActive(context, id);
		const made = yield* newKey(context, agent.id);
		if (made === null) throw failures.keyElsewhere(context.provider?.url ?? "the identity provider");
		return { id: agent.id, name: agent.name, apiKey: made.apiKey, webhooksEnded: made.ended.count };
	});
}

/**
 * Deletes the sessions of an agent, ends its webhooks, and replaces its key. If the identity provider manages
 * keys, deletes only the sessions and returns null.
 */
function* newKey(context: ServiceContext, agentId: string) {
	const { store, provider } = context;
	const identity = yield* identityOf(store).get({ agentId });
	yield* deleteSessionsOf(store).run({ agentId });
	if (provider === null && identity === undefined) return yield* replaceKey(context, agentId);
	yield* publishInternal(store, "credential.ended", agentId);
	return null;
}

/** @throws ResortError `invalid` if an agent must not have this name */
export function requireName(name: string): void {
	validateBody(UpdateProfileBody, { name });
}

/**
 * Renames an agent, even a deactivated one.
 * @throws ResortError `not_found`; `invalid` if it is erased, or the name is not allowed
 */
export function rename(context: AdminContext, { id, name }: Arguments) {
	const { store } = context;
	requireName(name);
	return record(context, function* () {
		const agent = yield* lockKept(context, id);
		yield* setName(store).run({ id: agent.id, name });
		yield* publishInternal(store, "agent.changed", agent.id);
		return { id: agent.id, name, formerName: agent.name };
	});
}

/**
 * Deactivates an agent, and overwrites its personal data in all tables and in the files of the database.
 * Rows, ids and counts are kept. After the first commit, no call can write such data again: calls of the
 * agent lock the agent's row, and calls that copy the name of an experience lock the experience. An
 * interrupted erasure can be repeated.
 * @throws ResortError `not_found`; `unavailable` if the erasure is incomplete
 */
export async function erase(context: AdminContext, { id }: Arguments) {
	const { store, personalData } = context;
	const agent = await record(context, () => eraseFirst(context, id));
	for (const { rowsOf, overwrite } of personalData.erasures) {
		const own = { agentId: agent.id };
		const rows = await store.read<object[]>(() => rowsOf(store).all(own));
		await changeRows(store, agent.id, rows, (row) => overwrite(store).run(withErasedDetails(row)));
	}
	// Invalidates all caches, which may contain erased texts.
	await store.write(() => store.publish(EXTERNAL_CHANGE));
	await store.scrub();
	return { id: agent.id, name: ERASED, wasErased: isErased(agent) };
}

/** The first transaction of an erasure. Returns the row of the agent as it was before. */
function* eraseFirst(context: AdminContext, id: string) {
	const { store, clock, personalData } = context;
	const agent = yield* lockAgent(store, id);
	const agentId = agent.id;
	if (agent.deactivatedAt === null) yield* leave(context, agentId);
	const at = clock();
	const archived = yield* archiveAllOf(store).all({ agentId, archivedAt: at });
	for (const { id: subjectId } of archived.toSorted((one, other) => one.seq - other.seq)) {
		yield* publish(store, { type: "experience.archived", at, agentId, subjectId });
	}
	for (const overwrite of personalData.firstErasures) yield* overwrite(store).run({ agentId });
	yield* store.publish(EXTERNAL_CHANGE);
	return agent;
}

/** Overwrites the name and the category in the `details` of an event. Returns other rows unchanged. */
function withErasedDetails(row: object): Readonly<Record<string, unknown>> {
	if (!("details" in row)) return { ...row };
	const details = JSON.parse(String(row.details));
	const erased = { ...details, name: ERASED, category: ERASED };
	return { ...row, details: JSON.stringify(erased) };
}
