import { type Static, Type } from "@sinclair/typebox";
import {
	Answer,
	Moment,
	OptionalField,
	Timestamp,
} from "../../resort/schemas.ts";

/** The most seconds that the clock is moved at once: ten years. */
const MAX_SECONDS = 315_360_000;

/** The body of POST /test/clock: one of the first two at most, and one of the three at least. */
export const MoveClockBody = Type.Object(
	{
		advanceSeconds: OptionalField(
			Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
		),
		now: OptionalField(Moment),
		frozen: OptionalField(Type.Boolean({ description: "true or false" })),
	},
	{ title: "MoveClock" },
);
export type MoveClockBody = Static<typeof MoveClockBody>;

/** What the instance is like now: its time, whether it stands, and how many agents and guests there are. */
export const StateAnswer = Answer({
	now: Timestamp,
	frozen: Type.Boolean(),
	agents: Type.Integer(),
	guests: Type.Integer(),
});
export type StateAnswer = Static<typeof StateAnswer>;
