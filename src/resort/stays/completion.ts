import { eq, sql } from "drizzle-orm";
import { MINUTE_MS, toTimestamp } from "../../lib/clock.ts";
import { textOrNull } from "../../lib/text.ts";
import { direct } from "../../store/store.ts";
import { activityLog, stays } from "../../store/tables.ts";
import type { Resort } from "../resort.ts";
import type { DoBody, LogEntry } from "./model.ts";
import type { Stay } from "./moment.ts";

/** Something that a guest has completed: an activity of the catalogue or an experience. */
export interface Completed {
	readonly activityId: string | null;
	readonly experienceId: string | null;
	readonly name: string;
	readonly category: string;
	readonly durationMinutes: number;
	readonly relaxationPoints: number;
}

const insertLog = direct({}, (db) =>
	db.insert(activityLog).values({
		id: sql.placeholder("id"),
		stayId: sql.placeholder("stayId"),
		agentId: sql.placeholder("agentId"),
		activityId: sql.placeholder("activityId"),
		experienceId: sql.placeholder("experienceId"),
		activityName: sql.placeholder("name"),
		activityCategory: sql.placeholder("category"),
		startedAt: sql.placeholder("startedAt"),
		notes: sql.placeholder("notes"),
		relaxationPoints: sql.placeholder("relaxationPoints"),
	}),
);

const addToStay = direct({}, (db) =>
	db
		.update(stays)
		.set({
			relaxationPoints: sql`${stays.relaxationPoints} + ${sql.placeholder("relaxationPoints")}`,
			activitiesCompleted: sql`${stays.activitiesCompleted} + 1`,
			activityName: sql`${sql.placeholder("name")}`,
			activityStartedAt: sql`${sql.placeholder("startedAt")}`,
			activityEndsAt: sql`${sql.placeholder("endsAt")}`,
		})
		.where(eq(stays.seq, sql.placeholder("staySeq"))),
);

/**
 * Records what a guest has completed, in the log and with the stay; part of a change of the writer.
 * @param stay the guest's open stay
 * @returns the entry of the log, and the stay's points after it
 */
export function recordCompletion(
	{ store, clock, random }: Resort,
	stay: Stay,
	completed: Completed,
	body: DoBody,
): { log: LogEntry; relaxationPoints: number } {
	const startedAt = clock();
	const id = random.uuid(startedAt);
	const notes = textOrNull(body.notes);
	const { activityId, experienceId, name, category } = completed;
	const { durationMinutes, relaxationPoints } = completed;
	insertLog(store).run({
		id,
		stayId: stay.id,
		agentId: stay.agentId,
		activityId,
		experienceId,
		name,
		category,
		startedAt,
		notes,
		relaxationPoints,
	});
	addToStay(store).run({
		staySeq: stay.seq,
		name,
		relaxationPoints,
		startedAt,
		endsAt: startedAt + durationMinutes * MINUTE_MS,
	});
	return {
		log: { id, startedAt: toTimestamp(startedAt), notes },
		relaxationPoints: stay.relaxationPoints + relaxationPoints,
	};
}
