import type { StartOptions } from "./types.ts";

/** The kinds of value that each option takes, for those who write without types. */
const kinds: Readonly<
	Record<
		keyof StartOptions,
		readonly [told: string, is: (value: unknown) => boolean]
	>
> = {
	fixtures: [
		"an object or a path",
		(value) => typeof value === "string" || isObject(value),
	],
	seed: ["a number", (value) => typeof value === "number"],
	now: ["a UTC time", isTime],
	frozen: ["true or false", (value) => typeof value === "boolean"],
	maxStay: ["a number of hours", (value) => typeof value === "number"],
	rateLimits: ["true or false", (value) => typeof value === "boolean"],
	executable: ["a path", (value) => typeof value === "string"],
};

function isObject(value: unknown): boolean {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTime(value: unknown): boolean {
	return (
		typeof value === "string" ||
		(value instanceof Date && !Number.isNaN(value.getTime()))
	);
}

/**
 * Makes sure that options are of their kinds; `resort` itself judges their bounds.
 * @throws Error for an option that there is not, and for one of another kind
 */
export function requireOptions(options: StartOptions): void {
	if (!isObject(options)) throw new Error("options must be an object");
	for (const [name, value] of Object.entries(options)) {
		if (!Object.hasOwn(kinds, name)) {
			const known = Object.keys(kinds).join(", ");
			throw new Error(`unknown option ${name}: must be one of ${known}`);
		}
		const [told, is] = kinds[name as keyof StartOptions];
		if (value !== undefined && !is(value)) {
			throw new Error(`${name} must be ${told}`);
		}
	}
}

/**
 * A time as `resort` takes it; whether it is one in UTC, `resort` judges.
 * @throws Error when it is neither a text nor a valid date
 */
export function timeText(time: string | Date): string {
	if (!isTime(time)) throw new Error("time must be a UTC time");
	return time instanceof Date ? time.toISOString() : time;
}

/**
 * The command line of an instance with these options.
 * @param fixtures the path of their file
 */
export function argumentsOf(
	{ seed, now, frozen, maxStay, rateLimits }: StartOptions,
	fixtures: string | undefined,
): string[] {
	const flags: Record<string, string | undefined> = {
		fixtures,
		seed: seed?.toString(),
		now: now === undefined ? undefined : timeText(now),
		"max-stay": maxStay?.toString(),
		"rate-limits": rateLimits === true ? "on" : "off",
		"log-level": "error",
	};
	return [
		...["serve", "--ephemeral", "--test-controls", "--exit-with-parent"],
		...(frozen === true ? ["--frozen"] : []),
		...Object.entries(flags).flatMap(([name, value]) =>
			value === undefined ? [] : [`--${name}=${value}`],
		),
	];
}
