import { type Static, Type } from "@sinclair/typebox";
import {
	Answer,
	Moment,
	OptionalField,
	Timestamp,
} from "../../resort/schemas.ts";

/** The most seconds that the clock is moved at once: ten years. */
const MAX_SECONDS = 315_360_000;

/** The body of POST /test/clock: exactly one of the two. */
export const MoveClockBody = Type.Object(
	{
		advanceSeconds: OptionalField(
			Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
		),
		now: OptionalField(Moment),
	},
	{ title: "MoveClock" },
);
export type MoveClockBody = Static<typeof MoveClockBody>;

/** What the instance is like now: its time, and how many agents and guests there are. */
export const StateAnswer = Answer({
	now: Timestamp,
	agents: Type.Integer(),
	guests: Type.Integer(),
});
export type StateAnswer = Static<typeof StateAnswer>;
