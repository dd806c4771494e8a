import type { Environment } from "../lib/environment.ts";
import { withNearest } from "../lib/nearest-name.ts";
import { settings, variableOf } from "./settings.ts";

/** Where a command of `resort test` finds the address of the instance. */
export const URL_VARIABLE = "RESORT_URL";

/** Where that command finds the keys of the agents of the fixtures: a JSON object, id to key. */
export const KEYS_VARIABLE = "RESORT_AGENT_KEYS";

/** How many characters of a name are shown. */
const MAX_SHOWN = 64;

/**
 * The variables that begin with `RESORT_` and that the program does not know, each with the nearest known one. They
 * are reported and not refused: other programs may use such names.
 */
export function unknownVariables(environment: Environment): string[] {
	const names = Object.keys(environment).filter((name) =>
		name.startsWith("RESORT_"),
	);
	if (names.length === 0) return [];
	const known = [
		URL_VARIABLE,
		KEYS_VARIABLE,
		...Object.keys(settings)
			.map(variableOf)
			.flatMap((own) => [own, `${own}_FILE`]),
	];
	return names
		.filter((name) => !known.includes(name))
		.toSorted()
		.map((name) => withNearest(name, known, name.slice(0, MAX_SHOWN)));
}
