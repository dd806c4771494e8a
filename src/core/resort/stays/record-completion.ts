import { toRested } from "../../../content/refreshment.ts";
import { MINUTE_MS, toTimestamp } from "../../lib/clock.ts";
import { requireRow } from "../../store/query.ts";
import type { activityLog } from "../../store/tables.ts";
import type { ActivityLogInfo } from "../activities/model.ts";
import { publish } from "../events/publish.ts";
import type { ServiceContext } from "../service-context.ts";
import type { DoBody } from "./model.ts";
import { addToStay, insertLog, madeInStay } from "./queries.ts";
import type { Stay } from "./stay-state.ts";

/** The activity or experience that a guest has completed. */
export interface Completed {
	readonly activityId: string | null;
	readonly experienceId: string | null;
	/** The creator of an experience; null for an activity of the catalogue. */
	readonly creatorId: string | null;
	readonly name: string;
	readonly category: string;
	readonly durationMinutes: number;
	readonly relaxationPoints: number;
}

/**
 * Adds a completed activity or experience to the log and to the stay, and publishes `agent.did`. Call it
 * inside a transaction.
 * @param stay the guest's open stay
 */
export function* recordCompletion(
	{ store, clock, random }: Pick<ServiceContext, "store" | "clock" | "random">,
	stay: Pick<Stay, "seq" | "id" | "agentId" | "relaxationPoints">,
	completed: Completed,
	body: DoBody,
) {
	const startedAt = clock();
	const id = random.uuid(startedAt);
	const notes = body.notes || null;
	const { activityId, experienceId, name, category } = completed;
	const { durationMinutes, relaxationPoints } = completed;
	const { agentId } = stay;
	yield* insertLog(store).run({
		id,
		stayId: stay.id,
		agentId,
		activityId,
		experienceId,
		activityName: name,
		activityCategory: category,
		startedAt,
		notes,
		relaxationPoints,
	});
	yield* addToStay(store).run({
		seq: stay.seq,
		relaxationPoints,
		experiences: experienceId === null ? 0 : 1,
		activityName: name,
		activityStartedAt: startedAt,
		activityEndsAt: startedAt + durationMinutes * MINUTE_MS,
	});
	yield* publish(store, {
		type: "agent.did",
		at: startedAt,
		agentId,
		subjectId: experienceId,
		creatorId: completed.creatorId,
		details: { activityId, name, category, relaxationPoints },
	});
	const points = stay.relaxationPoints + relaxationPoints;
	return {
		log: { id, startedAt: toTimestamp(startedAt), notes },
		/** The points of the stay, including those just added. */
		relaxationPoints: points,
		toRested: toRested(points),
		/** The properties of the stay that suggestions depend on, with the points just added. */
		stay: { id: stay.id, relaxationPoints: points },
		/** Whether the guest has created an experience or sent a public postcard during the stay. */
		made: requireRow(yield* madeInStay(store).get({ seq: stay.seq })),
	};
}

/** Converts a row of the activity log to an entry of the caller's log. */
export function toLogInfo(row: typeof activityLog.$inferSelect): ActivityLogInfo {
	return { ...row, startedAt: toTimestamp(row.startedAt) };
}
