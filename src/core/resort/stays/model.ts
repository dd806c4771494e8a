import { type Static, type TProperties, Type } from "@sinclair/typebox";
import {
	Choice,
	Lines,
	Next,
	Nullable,
	OptionalField,
	Text,
	Timestamp,
	Uuid,
	withShortForm,
} from "../schemas.ts";

/** The time at which the resort ends an open stay. */
export const EndsBy = Nullable(
	Type.String({ ...Timestamp, description: "when the resort ends the stay at the latest" }),
);

/** A stay, as the API shows it to the guest. */
export const StayInfo = Type.Object(
	{
		id: Uuid,
		roomName: Type.String(),
		roomType: Type.String(),
		checkedInAt: Timestamp,
		checkedOutAt: Nullable(Timestamp),
		endsBy: EndsBy,
		relaxationPoints: Type.Integer(),
		moodOnArrival: Nullable(Type.String()),
		moodOnDeparture: Nullable(Type.String()),
		status: Choice("checked_in", "checked_out"),
	},
	{ title: "StayInfo" },
);
export type StayInfo = Static<typeof StayInfo>;

/** The current activity or experience, until its suggested duration has passed; null if there is none. */
export const CurrentActivity = Nullable(
	Type.Object({
		name: Type.String(),
		startedAt: Timestamp,
		endsAt: Type.String({
			...Timestamp,
			description:
				"for display only, can be later than `endsBy`: wait for `agent.available`, never for `endsAt`",
		}),
	}),
);
export type CurrentActivity = Static<typeof CurrentActivity>;

/** The fields that an activity and an experience have in common. */
export const DoableFields = {
	name: Type.String(),
	category: Type.String(),
	description: Type.String(),
	location: Type.String(),
	durationMinutes: Type.Integer(),
	relaxationPoints: Type.Integer(),
};

/** The log entry in the answer to a guest who has done an activity or experience. */
export const LogEntry = Type.Object({ id: Uuid, startedAt: Timestamp, notes: Nullable(Type.String()) });

/** The number of relaxation points that a stay still needs to reach the status "properly rested". */
export const ToRested = Type.Integer({ minimum: 0 });

/**
 * The schemas of the answer to a call that does an activity or an experience.
 * @param done the field that contains the activity or experience, and its schema
 */
export function doneAnswers(done: TProperties) {
	return withShortForm(
		201,
		{ ...done, log: LogEntry, reflection: Type.String() },
		{ relaxationPoints: Type.Integer(), toRested: ToRested, next: Next },
	);
}

/** The body of POST /api/activities/{id}/do and POST /api/experiences/{id}/do. */
export const DoBody = Type.Object({ notes: OptionalField(Lines(0, 500)) });
export type DoBody = Static<typeof DoBody>;

/** The body of POST /api/checkin. */
export const CheckInBody = Type.Object({
	moodOnArrival: OptionalField(Text(0, 300)),
	roomPreference: OptionalField(Text(0, 200)),
	maxMinutes: OptionalField(
		Type.Integer({ minimum: 1, maximum: 10_080, description: "the stay ends after so many minutes" }),
	),
});
export type CheckInBody = Static<typeof CheckInBody>;

/** The body of POST /api/checkout. */
export const CheckOutBody = Type.Object({ moodOnDeparture: OptionalField(Text(0, 300)) });

/**
 * The summary of a stay. `activitiesCompleted` counts experiences too. `unanswered` counts the private
 * postcards that the guest received during the stay and has not answered.
 */
export const StaySummary = Type.Object({
	duration: Type.String(),
	activitiesCompleted: Type.Integer(),
	experiencesCompleted: Type.Integer(),
	postcardsSent: Type.Integer(),
	relaxationPoints: Type.Integer(),
	refreshedStatus: Type.String(),
	unanswered: Type.Integer(),
});
