import { type Static, Type } from "@sinclair/typebox";
import {
	Choice,
	Nullable,
	OptionalField,
	Text,
	Timestamp,
	Uuid,
} from "../schemas.ts";

/** The representation of a stay for its guest. */
export const StayInfo = Type.Object(
	{
		id: Uuid,
		roomName: Type.String(),
		roomType: Type.String(),
		checkedInAt: Timestamp,
		checkedOutAt: Nullable(Timestamp),
		relaxationPoints: Type.Integer(),
		moodOnArrival: Nullable(Type.String()),
		moodOnDeparture: Nullable(Type.String()),
		status: Choice("checked_in", "checked_out"),
	},
	{ title: "StayInfo" },
);
export type StayInfo = Static<typeof StayInfo>;

/** The current activity or experience. It ends after its suggested duration. */
export const CurrentActivity = Nullable(
	Type.Object({
		name: Type.String(),
		startedAt: Timestamp,
		endsAt: Timestamp,
	}),
);
export type CurrentActivity = Static<typeof CurrentActivity>;

/** The log entry of a completion. */
export const LogEntry = Type.Object({
	id: Uuid,
	startedAt: Timestamp,
	notes: Nullable(Type.String()),
});
export type LogEntry = Static<typeof LogEntry>;

/** What answers to a completion have in common. */
export const DoneFields = {
	relaxationPoints: Type.Integer(),
	toRested: Type.Integer({ minimum: 0 }),
};

/** The body of POST /api/activities/{id}/do and POST /api/experiences/{id}/do. */
export const DoBody = Type.Object({ notes: OptionalField(Text(0, 500)) });
export type DoBody = Static<typeof DoBody>;

/** The body of POST /api/checkin. */
export const CheckInBody = Type.Object({
	moodOnArrival: OptionalField(Text(0, 300)),
	roomPreference: OptionalField(Text(0, 200)),
});
export type CheckInBody = Static<typeof CheckInBody>;

/** The body of POST /api/checkout. */
export const CheckOutBody = Type.Object({
	moodOnDeparture: OptionalField(Text(0, 300)),
});
export type CheckOutBody = Static<typeof CheckOutBody>;

/**
 * The summary of a stay. `activitiesCompleted` counts activities and experiences, `unanswered` the private postcards that
 * were received in the stay and not answered.
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
export type StaySummary = Static<typeof StaySummary>;
