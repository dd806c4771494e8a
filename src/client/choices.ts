import { usage } from "./failure.ts";
import { toJson } from "./text.ts";

/**
 * Makes sure that a flag has the words that it takes.
 * @param values what was given
 * @param choices the words that it takes; any when there are none
 * @throws Failure with exit code 2 that names the first wrong value and the choices
 */
export function requireChoice(
	flag: string,
	values: readonly string[],
	choices: readonly string[],
): void {
	const wrong = values.find((value) => !choices.includes(value));
	if (wrong === undefined || choices.length === 0) return;
	throw usage(
		`--${flag}: must be ${enumerate(choices, "or")}, not ${toJson(wrong)}`,
	);
}

/** Words as a sentence tells them: `a, b and c`. */
export function enumerate(
	words: readonly string[],
	before: "and" | "or",
): string {
	const [last = ""] = words.slice(-1);
	const others = words.slice(0, -1).join(", ");
	return others === "" ? last : `${others} ${before} ${last}`;
}

/**
 * The entries of a list in a query, where blanks around them and empty ones mean nothing.
 * @returns the whole list when all are empty, because the service wants one
 */
export function entriesOf(list: string): string[] {
	const entries = list.split(",").map((entry) => entry.trim());
	const told = entries.filter((entry) => entry !== "");
	return told.length === 0 ? [list] : told;
}
