import type { StartOptions } from "./testing-types.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isBoolean: Check = (value) => typeof value === "boolean";
const isObject: Check = (value) =>
	typeof value === "object" && value !== null && !Array.isArray(value);
const isTime: Check = (value) =>
	isText(value) || (value instanceof Date && !Number.isNaN(value.getTime()));

/** The type of each option, for callers without TypeScript. */
const optionTypes: Readonly<
	Record<keyof StartOptions, readonly [description: string, check: Check]>
> = {
	fixtures: [
		"an object or a path",
		(value) => isText(value) || isObject(value),
	],
	seed: ["a number", isNumber],
	now: ["a UTC time", isTime],
	frozen: ["true or false", isBoolean],
	maxStay: ["a number of hours", isNumber],
	rateLimits: ["true or false", isBoolean],
	executable: ["a path", isText],
};

/**
 * Checks the types of options; `resort` itself checks their bounds.
 * @throws Error for an unknown option or one of the wrong type
 */
export function requireOptions(options: StartOptions): void {
	if (!isObject(options)) throw new Error("options must be an object");
	for (const [name, value] of Object.entries(options)) {
		if (!Object.hasOwn(optionTypes, name)) {
			const known = Object.keys(optionTypes).join(", ");
			throw new Error(`unknown option ${name}: must be one of ${known}`);
		}
		const [description, check] = optionTypes[name as keyof StartOptions];
		if (value !== undefined && !check(value)) {
			throw new Error(`${name} must be ${description}`);
		}
	}
}

/**
 * Formats a time for `resort`, which checks it.
 * @throws Error when it is neither a string nor a valid date
 */
export function timeText(time: string | Date): string {
	if (!isTime(time)) throw new Error("time must be a UTC time");
	return time instanceof Date ? time.toISOString() : time;
}

/**
 * Returns the arguments of `resort` for these options.
 * @param fixtures the path of the fixtures file
 */
export function argumentsOf(
	{ seed, now, frozen, maxStay, rateLimits }: StartOptions,
	fixtures: string | undefined,
): string[] {
	const flags = {
		fixtures,
		seed,
		now: now && timeText(now),
		"max-stay": maxStay,
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
