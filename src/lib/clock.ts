/** Tells the time: milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

/** Spans of time, in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The longest timer that the runtime has, in milliseconds. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

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

/** A `date-time` of RFC 3339, section 5.6: date and time, fraction of the second, and offset from UTC. */
const DATE_TIME =
	/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The last moment whose year has four digits. */
const LAST_MS = Date.UTC(10_000, 0) - 1;

/**
 * Reads a moment as RFC 3339 writes it, without leap seconds; what is less than a millisecond is left out.
 * @returns milliseconds since the epoch, or null when the text is no such moment, one before 1970 or after 9999
 */
export function parseTimestamp(text: string): number | null {
	const [, local, fraction = "", sign, hours = "0", minutes = "0"] =
		DATE_TIME.exec(text.toUpperCase()) ?? [];
	if (local === undefined) return null;
	const localMs = Date.parse(`${local}${fraction.slice(0, 4)}Z`);
	// A day that its month does not have would be one of the next month.
	if (Number.isNaN(localMs) || !toTimestamp(localMs).startsWith(local)) {
		return null;
	}
	const offsetMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
	const timeMs = sign === "-" ? localMs + offsetMs : localMs - offsetMs;
	return timeMs >= 0 && timeMs <= LAST_MS ? timeMs : null;
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

/** How long it is remembered how a clock went: longer than a call takes that waits and is held up. */
const REMEMBERED_MS = 5 * MINUTE_MS;

/** How a clock goes until it is changed. */
interface Course {
	readonly aheadMs: number;
	/** Where it stands; null while it goes. */
	readonly standsAtMs: number | null;
}

/** A clock that goes with the system's and can be moved and stopped, for tests. */
export class MovableClock {
	readonly #start: ClockStart;
	#course: Course = { aheadMs: 0, standsAtMs: null };
	/** How it went before, and until which moment of `performance.now()`; the oldest first. */
	#former: (Course & { readonly untilMs: number })[] = [];

	constructor({ nowMs, isFrozen }: ClockStart) {
		// One that stands returns to the moment at which it first stood.
		this.#start = { nowMs: isFrozen ? (nowMs ?? Date.now()) : nowMs, isFrozen };
		this.reset();
	}

	/** Tells the time. */
	readonly now: Clock = () =>
		this.#course.standsAtMs ?? Date.now() + this.#course.aheadMs;

	/** The time that it told at a moment of `performance.now()`, a few minutes ago at most. */
	readonly at = (momentMs: number): number => {
		const { standsAtMs, aheadMs } =
			this.#former.find(({ untilMs }) => momentMs < untilMs) ?? this.#course;
		const agoMs = Math.round(performance.now() - momentMs);
		return standsAtMs ?? Date.now() + aheadMs - agoMs;
	};

	/** The time that {@link reset} sets it to. */
	get startMs(): number {
		return this.#start.nowMs ?? Date.now();
	}

	get isFrozen(): boolean {
		return this.#course.standsAtMs !== null;
	}

	/** Moves it; it goes on from there, or stands there. */
	setTo(timeMs: number): void {
		this.#go(timeMs, this.isFrozen);
	}

	/** Lets it stand, or go on from where it stands. */
	freeze(isFrozen: boolean): void {
		this.#go(this.now(), isFrozen);
	}

	/** Brings it back to how it began. */
	reset(): void {
		this.#go(this.#start.nowMs, this.#start.isFrozen);
	}

	/** @param timeMs null for the system's time */
	#go(timeMs: number | null, isFrozen: boolean): void {
		const untilMs = performance.now();
		this.#former = this.#former.filter(
			(one) => one.untilMs > untilMs - REMEMBERED_MS,
		);
		this.#former.push({ ...this.#course, untilMs });
		this.#course = {
			aheadMs: timeMs === null ? 0 : timeMs - Date.now(),
			standsAtMs: isFrozen ? timeMs : null,
		};
	}
}
