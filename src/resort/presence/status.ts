/**
 * The question to ask before work is assigned. It is asked more often than anything else, and first of all after
 * a restart, so that it needs none of the libraries that take long to load.
 */
import { refreshedStatus } from "../../content/refreshment.ts";
import { toTimestamp, toTimestampOrNull } from "../../lib/clock.ts";
import type { EngineRow, Statement, Store } from "../../store/store.ts";
import { runAll, type Task } from "../../store/task.ts";
import { failures } from "../failures.ts";
import {
	asOfNow,
	changesAt,
	currentActivity,
	latestEnd,
	roomName,
	type Stay,
	type Time,
	type Timed,
} from "../stays/moment.ts";
import type { AgentStatus } from "./model.ts";
import { statusSql } from "./status-sql.ts" with { type: "macro" };

/** What a status is read from: a resort, or what there is of it before its application is loaded. */
export interface StatusSource extends Time {
	readonly store: Store;
}

/** What a status tells of an agent, and the stay that it tells of. */
interface ShownAgent {
	readonly name: string;
	readonly newestStay: number | null;
}

/** What a status tells of a stay. */
type ShownStay = Pick<
	Stay,
	| "roomType"
	| "roomNumber"
	| "checkedInAt"
	| "checkedOutAt"
	| "relaxationPoints"
	| "activityName"
	| "activityStartedAt"
	| "activityEndsAt"
>;

/** Where the status of an agent is asked for. */
export const STATUS_PATH = "/api/agents/:id/status";

const text = statusSql();

type Statements = Record<keyof typeof text, Statement>;

const prepared = new WeakMap<Store, Statements>();

/**
 * Whether an agent is relaxing or available.
 * @param id a UUID in any case; another shape is unknown
 * @throws ResortError `not_found`
 */
export function* getStatus(
	source: StatusSource,
	id: string,
): Task<Timed<AgentStatus>> {
	const status = yield* findStatus(source, id.toLowerCase());
	if (status === null) throw failures.agentNotFound();
	return status;
}

/** The most code points that are told of an entry that leads to nobody. */
const MAX_UNKNOWN = 64;

/**
 * The statuses of several agents, in the order asked for, each once.
 * @param entries ids in any case, or anything else
 * @returns beside them the entries that lead to nobody, in the order asked for, each once and cut
 */
export function* listStatuses(
	source: StatusSource,
	entries: readonly string[],
): Task<{ statuses: AgentStatus[]; unknown: string[] }> {
	const asked = new Map<string, string>();
	for (const entry of entries) {
		const told = [...entry].slice(0, MAX_UNKNOWN).join("");
		const id = told.toLowerCase();
		if (!asked.has(id)) asked.set(id, told);
	}
	const found = yield* runAll(
		[...asked.keys()].map((id) => findStatus(source, id)),
	);
	const told = [...asked.values()];
	return {
		statuses: found.flatMap((status) => (status === null ? [] : status.value)),
		unknown: told.filter((_, at) => found[at] === null),
	};
}

/**
 * The status of an agent, as {@link getStatus} tells it.
 * @param id in lower case
 * @returns null for an agent that is unknown or deactivated
 */
export function* findStatus(
	source: StatusSource,
	id: string,
): Task<Timed<AgentStatus> | null> {
	const statements = statementsOf(source.store);
	const agent = yield* statements.activeAgent.get([id], asAgent);
	if (agent === undefined) return null;
	const known = yield* stayOf(statements, id, agent);
	const stay = known && asOfNow(source, known);
	const nowMs = source.clock();
	const told = { id, name: agent.name };
	return {
		value:
			stay?.checkedOutAt === null
				? relaxing(told, stay, latestEnd(source, stay), nowMs)
				: available(told, stay),
		untilMs:
			stay === null ? Number.POSITIVE_INFINITY : changesAt(source, stay, nowMs),
	};
}

/** The stay that tells whether an agent is relaxing; null when there was none. */
function* stayOf(
	{ stayBySeq, openStay, newestStay }: Statements,
	id: string,
	agent: ShownAgent,
): Task<ShownStay | null> {
	if (agent.newestStay === 0) return null;
	if (agent.newestStay !== null) {
		return (yield* stayBySeq.get([agent.newestStay], asStay)) ?? null;
	}
	const open = yield* openStay.get([id], asStay);
	return open ?? (yield* newestStay.get([id], asStay)) ?? null;
}

/** The statements select what is shown. */
function asAgent(row: EngineRow): ShownAgent {
	return row as unknown as ShownAgent;
}

function asStay(row: EngineRow): ShownStay {
	return row as unknown as ShownStay;
}

function statementsOf(store: Store): Statements {
	let known = prepared.get(store);
	if (known === undefined) {
		known = {
			activeAgent: store.prepare(text.activeAgent),
			stayBySeq: store.prepare(text.stayBySeq),
			openStay: store.prepare(text.openStay),
			newestStay: store.prepare(text.newestStay),
		};
		prepared.set(store, known);
	}
	return known;
}

function relaxing(
	agent: AgentStatus["agent"],
	stay: ShownStay,
	endsBy: number | null,
	nowMs: number,
): AgentStatus {
	const activity = currentActivity(stay, nowMs);
	const busy = activity === null ? "" : `, busy with ${activity.name}`;
	return {
		ok: true,
		status: "relaxing",
		agent,
		stay: {
			roomName: roomName(stay),
			roomType: stay.roomType,
			checkedInAt: toTimestamp(stay.checkedInAt),
			endsBy: toTimestampOrNull(endsBy),
			currentActivity: activity,
			relaxationPoints: stay.relaxationPoints,
		},
		message: `${agent.name} is relaxing in ${roomName(stay)}${busy}. Please assign no work.`,
	};
}

/** What a status tells of a closed stay. */
export function toLastStay(
	checkedOutAt: number,
	{ relaxationPoints }: Pick<Stay, "relaxationPoints">,
): NonNullable<AgentStatus["lastStay"]> {
	return {
		checkedOutAt: toTimestamp(checkedOutAt),
		totalRelaxationPoints: relaxationPoints,
		refreshedStatus: refreshedStatus(relaxationPoints),
	};
}

/** @param stay the newest one, closed; null when there was none */
function available(
	agent: AgentStatus["agent"],
	stay: ShownStay | null,
): AgentStatus {
	return {
		ok: true,
		status: "available",
		agent,
		...(stay !== null &&
			stay.checkedOutAt !== null && {
				lastStay: toLastStay(stay.checkedOutAt, stay),
			}),
		message: `${agent.name} is available for work.`,
	};
}
