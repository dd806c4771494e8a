import { type Static, Type } from "@sinclair/typebox";
import { END_OF_TIME_MS, parseTimestamp, SECOND_MS } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { Moment, OptionalField } from "../resort/schemas.ts";
import type { ClockChange } from "./testkit.ts";

/** Ten years. */
const MAX_SECONDS = 315_360_000;

/** The body of POST /test/clock: at most one of the first two fields, at least one of the three. */
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

/**
 * Converts the body of POST /test/clock.
 * @param nowMs the present time of the clock, in milliseconds since the epoch
 * @throws ResortError `invalid` for no field, for two times, or for a time after the year 9999
 */
export function toClockChange(
	nowMs: number,
	{ advanceSeconds, now, frozen }: Static<typeof MoveClockBody>,
): ClockChange {
	const isFrozen = frozen ?? null;
	if (
		(advanceSeconds != null && now != null) ||
		(advanceSeconds ?? now ?? isFrozen) === null
	) {
		throw new ResortError(
			"invalid",
			"Give either advanceSeconds or now, or frozen, or one of the two and frozen",
		);
	}
	if (advanceSeconds == null && now == null) return { timeMs: null, isFrozen };
	const timeMs =
		now == null
			? nowMs + (advanceSeconds ?? 0) * SECOND_MS
			: parseTimestamp(now);
	if (timeMs === null || timeMs > END_OF_TIME_MS) {
		throw new ResortError("invalid", "The clock goes to the year 9999 at most");
	}
	return { timeMs, isFrozen };
}
