/**
 * The answer of GET /api/agents/{id}/status as one writes it by hand over two prepared queries. The servers
 * on Bun and on Node share it, so that they do the same; for Node it is bundled.
 */
import { refreshedStatus } from "../../src/content/refreshment.ts";
import { toTimestamp } from "../../src/core/lib/clock.ts";

export { pragmas } from "../../src/core/store/sqlite/open-database.ts";

/** An agent by its id. */
export const AGENT = "SELECT id, name, created_at FROM agents WHERE id = ? AND deactivated_at IS NULL";

/** The newest stay, which is the open one when there is one. */
export const NEWEST_STAY = `SELECT room_type, room_number, checked_in_at, checked_out_at, relaxation_points,
	activity_name, activity_started_at, activity_ends_at
	FROM stays WHERE agent_id = ? ORDER BY checked_in_at DESC, seq DESC LIMIT 1`;

/** A row of {@link AGENT}. */
export interface AgentRow {
	readonly id: string;
	readonly name: string;
	readonly created_at: number | bigint;
}

/** A row of {@link NEWEST_STAY}. */
export interface StayRow {
	readonly room_type: string;
	readonly room_number: number;
	readonly checked_in_at: number;
	readonly checked_out_at: number | null;
	readonly relaxation_points: number;
	readonly activity_name: string | null;
	readonly activity_started_at: number | null;
	readonly activity_ends_at: number | null;
}

/**
 * The answer for an agent and its newest stay, as JSON will show it.
 * @param stay undefined or null when there was none
 */
export function statusOf({ id, name, created_at }: AgentRow, stay: StayRow | undefined | null): object {
	if (stay?.checked_out_at === null) return relaxing({ id, name }, stay);
	return {
		ok: true,
		status: "available",
		since: toTimestamp(stay?.checked_out_at ?? Number(created_at)),
		agent: { id, name },
		...(stay && {
			lastStay: {
				checkedOutAt: toTimestamp(stay.checked_out_at),
				totalRelaxationPoints: stay.relaxation_points,
				refreshedStatus: refreshedStatus(stay.relaxation_points),
			},
		}),
		message: `${name} is available for work.`,
	};
}

function relaxing(agent: Omit<AgentRow, "created_at">, stay: StayRow): object {
	const roomName = `${stay.room_type} ${stay.room_number}`;
	const activity = currentActivity(stay);
	const busy = activity === null ? "" : `, busy with ${activity.name}`;
	return {
		ok: true,
		status: "relaxing",
		since: toTimestamp(stay.checked_in_at),
		agent,
		stay: {
			roomName,
			roomType: stay.room_type,
			checkedInAt: toTimestamp(stay.checked_in_at),
			endsBy: null,
			currentActivity: activity,
			relaxationPoints: stay.relaxation_points,
		},
		message: `${agent.name} is relaxing in ${roomName}${busy}. Please assign no work.`,
	};
}

function currentActivity(stay: StayRow) {
	const { activity_name: name, activity_started_at: startedAt } = stay;
	if (name === null || startedAt === null) return null;
	if ((stay.activity_ends_at ?? 0) <= Date.now()) return null;
	return { name, startedAt: toTimestamp(startedAt), endsAt: toTimestamp(stay.activity_ends_at ?? 0) };
}
