import { HOUR_MS } from "../lib/clock.ts";

/** The light over the house, by which the pages are coloured. */
export type Light = "dawn" | "day" | "evening" | "night";

/** From which hour of the day (UTC) each light is there. */
const hours: readonly (readonly [from: number, light: Light])[] = [
	[0, "night"],
	[5, "dawn"],
	[8, "day"],
	[17, "evening"],
	[21, "night"],
];

/** The light of a moment, and where the sun or the moon stands. */
export interface Sky {
	readonly light: Light;
	/** How far the sun, or at night the moon, has come on its way: 0 where it rises, 1 where it sets. */
	readonly way: number;
	/** Until when both are so, in milliseconds since the epoch. */
	readonly untilMs: number;
}

/** The sun is up from 5 to 21; the moon is in the hours between. */
const SUNRISE = 5;
const SUNSET = 21;

/** The sky of a moment by the resort's clock, which moves on every hour. */
export function skyAt(nowMs: number): Sky {
	const startMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
	const hour = new Date(startMs).getUTCHours();
	const light = hours.findLast(([from]) => hour >= from)?.[1] ?? "night";
	const isUp = hour >= SUNRISE && hour < SUNSET;
	const since = isUp ? hour - SUNRISE : (hour - SUNSET + 24) % 24;
	const lasts = isUp ? SUNSET - SUNRISE : 24 - (SUNSET - SUNRISE);
	return { light, way: (since + 0.5) / lasts, untilMs: startMs + HOUR_MS };
}
