/** Tells the time: milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

/** Spans of time, in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * A moment as the API writes it: ISO 8601, UTC, with milliseconds and `Z`.
 * @param timeMs milliseconds since the epoch
 */
export function toTimestamp(timeMs: number): string {
	return new Date(timeMs).toISOString();
}

/** Like {@link toTimestamp}, and null for null. */
export function toTimestampOrNull(timeMs: number | null): string | null {
	return timeMs === null ? null : toTimestamp(timeMs);
}

/**
 * Reads a moment in the form that {@link toTimestamp} writes; the milliseconds may be left out.
 * @returns milliseconds since the epoch, or null when the text is no such moment, or one before 1970
 */
export function parseTimestamp(text: string): number | null {
	if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(text)) return null;
	const timeMs = Date.parse(text);
	if (!(timeMs >= 0)) return null;
	// A day that its month does not have would be one of the next month.
	return toTimestamp(timeMs).startsWith(text.slice(0, 19)) ? timeMs : null;
}

/** The last 00:00 UTC at or before a moment, in milliseconds since the epoch. */
export function startOfDayMs(timeMs: number): number {
	return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

/** The latest moment that clocks are set to: later ones come to a year of five digits. */
export const END_OF_TIME_MS = Date.UTC(9999, 11, 31);

/** How a clock begins. */
export interface ClockStart {
	/** Milliseconds since the epoch; null for the system's time. */
	readonly nowMs: number | null;
	/** Whether it stands until it is told to go. */
	readonly isFrozen: boolean;
}

/** A clock that goes with the system's and can be moved and stopped, for tests. */
export class MovableClock {
	readonly #start: ClockStart;
	#aheadMs = 0;
	/** Where it stands; null while it goes. */
	#standsAtMs: number | null = null;

	constructor({ nowMs, isFrozen }: ClockStart) {
		// One that stands returns to the moment at which it first stood.
		this.#start = { nowMs: isFrozen ? (nowMs ?? Date.now()) : nowMs, isFrozen };
		this.reset();
	}

	/** Tells the time. */
	readonly now: Clock = () => this.#standsAtMs ?? Date.now() + this.#aheadMs;

	/** The time that {@link reset} sets it to. */
	get startMs(): number {
		return this.#start.nowMs ?? Date.now();
	}

	get isFrozen(): boolean {
		return this.#standsAtMs !== null;
	}

	/** Moves it; it goes on from there, or stands there. */
	setTo(timeMs: number): void {
		if (this.isFrozen) this.#standsAtMs = timeMs;
		else this.#aheadMs = timeMs - Date.now();
	}

	/** Lets it stand, or go on from where it stands. */
	freeze(isFrozen: boolean): void {
		const timeMs = this.now();
		this.#standsAtMs = isFrozen ? timeMs : null;
		this.setTo(timeMs);
	}

	/** Brings it back to how it began. */
	reset(): void {
		const { nowMs, isFrozen } = this.#start;
		this.#standsAtMs = isFrozen ? nowMs : null;
		this.#aheadMs = nowMs === null ? 0 : nowMs - Date.now();
	}
}
