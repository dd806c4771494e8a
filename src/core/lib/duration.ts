import { DAY_MS, HOUR_MS, MINUTE_MS } from "./clock.ts";

const units = [
	["day", DAY_MS],
	["hour", HOUR_MS],
	["minute", MINUTE_MS],
] as const;

/** Formats a duration with its two largest units: `2 hours 5 minutes`, `1 day`, `less than a minute`. */
export function inWords(durationMs: number): string {
	const first = units.findIndex(([, unitMs]) => durationMs >= unitMs);
	if (first === -1) return "less than a minute";
	let restMs = durationMs;
	const words: string[] = [];
	for (const [unit, unitMs] of units.slice(first, first + 2)) {
		const count = Math.floor(restMs / unitMs);
		restMs -= count * unitMs;
		if (count > 0) words.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
	}
	return words.join(" ");
}
