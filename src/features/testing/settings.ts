import type { Setting } from "../../core/config/setting.ts";
import { file, integer, toggle } from "../../core/config/setting-kinds.ts";
import { parseTimestamp } from "../../core/lib/clock.ts";
import { hostName } from "../../core/lib/ip-address.ts";
import { MAX_SEED } from "./seeded-random.ts";

const MAX_HOSTS = 20;

/**
 * The latest time to which a test can set the clock. It leaves room for the longest `--max-stay`, 3,650 days,
 * because times in years with five digits are not valid. Sessions and `maxMinutes` take at most 7 days.
 */
export const END_OF_TIME_MS = Date.UTC(9990, 0);

/** The variable in which `resort test COMMAND` passes the URL of its instance to the command. */
export const URL_VARIABLE = "RESORT_URL";

/**
 * The variable in which `resort test COMMAND` passes the keys of the fixtures' agents: a JSON object from
 * agent id to key. The variable with the suffix `_FILE` contains the path of a file with this object.
 */
export const KEYS_VARIABLE = "RESORT_AGENT_KEYS";

/** The settings of instances for tests. */
export const settings = {
	now: {
		value: "TIME",
		help: "clock time at startup and after a reset, such as 2026-03-10T12:00:00Z; only with --ephemeral",
		allowed: "a UTC time such as 2026-03-10T12:00:00Z, from 1970-01-01T00:00:00Z to 9990-01-01T00:00:00Z",
		read: momentInMs,
	} satisfies Setting<number>,
	frozen: toggle("stop the clock until a test moves it; only with --ephemeral"),
	seed: integer(
		"use the same ids, keys, rooms and texts in each run; only with --ephemeral, because keys become guessable",
		MAX_SEED,
	),
	fixtures: file(
		"start with the agents, stays, experiences, votes and postcards in a JSON file; only with --ephemeral",
		"a JSON file",
	),
	"test-controls": toggle(
		"let tests reset the resort, move its clock and make calls fail, with calls under /test; only with --ephemeral and a loopback host",
	),
	"test-hosts": {
		value: "NAMES",
		help: "additional host names for --test-controls calls; --host may then be any address",
		preset: "",
		allowed: `a comma-separated list of at most ${MAX_HOSTS} host names or addresses, without ports`,
		read: hostNames,
	} satisfies Setting<readonly string[]>,
};

/** Parses a UTC time up to {@link END_OF_TIME_MS}. Returns milliseconds since the epoch. */
function momentInMs(text: string): number | undefined {
	const timeMs = parseTimestamp(text);
	return timeMs === null || timeMs > END_OF_TIME_MS ? undefined : timeMs;
}

/** Parses and normalizes a comma-separated list of host names and addresses without ports. */
function hostNames(text: string): readonly string[] | undefined {
	if (text === "") return [];
	const names = text.split(",").map((name) => toHost(name.trim()));
	return names.length <= MAX_HOSTS && names.every((name) => name !== undefined) ? names : undefined;
}

function toHost(name: string): string | undefined {
	const plain = /^\[(.*)\]$/.exec(name)?.[1] ?? name;
	if (hostName(plain) === undefined) return undefined;
	const url = URL.parse(`http://${plain.includes(":") ? `[${plain}]` : plain}`);
	return url?.hostname;
}
