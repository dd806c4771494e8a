/**
 * The question to ask before work is assigned. It is asked more often than anything else, and first of all after
 * a restart: its statements are written by hand, and it needs none of the libraries that load slowly.
 */
import { refreshedStatus } from "../../content/refreshment.ts";
import { toTimestamp } from "../../lib/clock.ts";
import type { Connection } from "../../store/sqlite/connection.ts";
import { statement } from "../../store/statement.ts";
import { failures } from "../failures.ts";
import {
	asOfNow,
	changesAt,
	currentActivity,
	roomName,
	type Stay,
	type Time,
} from "../stays/moment.ts";
import type { AgentStatus } from "./model.ts";

/** Where statuses are read: a resort, or what there is of it before its application is loaded. */
export interface House extends Time {
	readonly store: Pick<Connection, "sqlite">;
}

/** What is told, and until when it stays so if nobody changes it, in milliseconds since the epoch. */
export interface Told<T> {
	readonly told: T;
	readonly untilMs: number;
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

const SHOWN_STAY = `SELECT room_type AS roomType, room_number AS roomNumber, checked_in_at AS checkedInAt,
	checked_out_at AS checkedOutAt, relaxation_points AS relaxationPoints, activity_name AS activityName,
	activity_started_at AS activityStartedAt, activity_ends_at AS activityEndsAt
	FROM stays WHERE agent_id = ?`;

const activeAgent = statement<{ name: string }, [id: string]>(
	"SELECT name FROM agents WHERE id = ? AND deactivated_at IS NULL",
);
const openStay = statement<ShownStay, [agentId: string]>(
	`${SHOWN_STAY} AND checked_out_at IS NULL`,
);
const newestStay = statement<ShownStay, [agentId: string]>(
	`${SHOWN_STAY} ORDER BY checked_in_at DESC, seq DESC LIMIT 1`,
);

/**
 * Whether an agent is relaxing or available (GET /api/agents/{id}/status).
 * @param id a UUID in any case; another shape is unknown
 * @throws ResortError `not_found`
 */
export function getStatus(house: House, id: string): AgentStatus {
	const status = findStatus(house, id.toLowerCase());
	if (status === null) throw failures.agentNotFound();
	return status.told;
}

/**
 * The statuses of several agents in the order asked for; one that is unknown is left out, one that is
 * repeated is told once (GET /api/agents/status).
 */
export function listStatuses(
	house: House,
	agentIds: readonly string[],
): AgentStatus[] {
	const different = new Set(agentIds.map((id) => id.trim().toLowerCase()));
	return [...different]
		.map((id) => findStatus(house, id))
		.filter((status) => status !== null)
		.map(({ told }) => told);
}

/**
 * The status of an agent, as {@link getStatus} tells it.
 * @param id in lower case
 * @returns null for an agent that is unknown or deactivated
 */
export function findStatus(house: House, id: string): Told<AgentStatus> | null {
	const { store } = house;
	const agent = activeAgent(store).get(id);
	if (agent === null) return null;
	// The open one is not the newest by time when the clock was set back.
	const known = openStay(store).get(id) ?? newestStay(store).get(id);
	const stay = known && asOfNow(house, known);
	const nowMs = house.clock();
	const told =
		stay?.checkedOutAt === null
			? relaxing({ id, name: agent.name }, stay, nowMs)
			: available({ id, name: agent.name }, stay);
	return {
		told,
		untilMs:
			stay === null ? Number.POSITIVE_INFINITY : changesAt(house, stay, nowMs),
	};
}

function relaxing(
	agent: AgentStatus["agent"],
	stay: ShownStay,
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
			currentActivity: activity,
			relaxationPoints: stay.relaxationPoints,
		},
		message: `${agent.name} is relaxing in ${roomName(stay)}${busy}. Please assign no work.`,
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
				lastStay: {
					checkedOutAt: toTimestamp(stay.checkedOutAt),
					totalRelaxationPoints: stay.relaxationPoints,
					refreshedStatus: refreshedStatus(stay.relaxationPoints),
				},
			}),
		message: `${agent.name} is available for work.`,
	};
}
