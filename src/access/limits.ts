import { SlidingWindow } from "../lib/sliding-window.ts";
import { type LimitName, limits } from "../resort/limits.ts";

/** The most keys that one limit remembers: some 25 MB at the worst. */
const MAX_KEYS = 50_000;

/** A window for each limit. */
export type Windows = Readonly<Record<LimitName, SlidingWindow>>;

/** Windows that have seen no request. */
export function createWindows(): Windows {
	return Object.fromEntries(
		Object.entries(limits).map(([name, { limit, windowMs }]) => [
			name,
			new SlidingWindow(limit, windowMs, MAX_KEYS),
		]),
	) as Windows;
}
