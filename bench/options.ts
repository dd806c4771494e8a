import { parseArgs } from "node:util";

/** How large a generated database is. */
export interface Size {
	readonly agents: number;
	readonly stays: number;
	/** Rows of the activity log. */
	readonly log: number;
	/** Agents that are checked in. */
	readonly guests: number;
	readonly experiences: number;
	readonly votes: number;
	readonly postcards: number;
}

/** The options of the command line. */
export interface Options {
	/** Names of parts; empty for all of them. */
	readonly parts: readonly string[];
	/** How long each run of the load generator takes. */
	readonly seconds: number;
	/** How many runs each server gets; figures are their medians. */
	readonly rounds: number;
	/** How long the load of the part `memory` takes. */
	readonly minutes: number;
	readonly seed: number;
	/** The database of most parts. */
	readonly main: Size;
	/** A community of 1,000 agents, and one of `--large` agents. */
	readonly small: Size;
	readonly large: Size;
	/**
	 * A community that is copied to PostgreSQL: as many guests as the usual one, so that few write to the same
	 * row.
	 */
	readonly shared: Size;
}

const quick = { seconds: 2, rounds: 7, minutes: 1 };
const full = { seconds: 10, rounds: 7, minutes: 10 };

/** So many guests have rooms of their own: 50 types with 99 numbers each. */
const MAX_GUESTS = 4_950;

const number = { type: "string" } as const;

/**
 * Reads the command line.
 * @throws Error with one line for an unknown flag or a value that is no whole number above 0
 */
export function readOptions(args: readonly string[]): Options {
	const { values, positionals } = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {
			full: { type: "boolean" },
			seconds: number,
			rounds: number,
			minutes: number,
			seed: number,
			agents: number,
			stays: number,
			log: number,
			guests: number,
			experiences: number,
			votes: number,
			postcards: number,
			large: number,
		},
	});
	const { full: isFull, ...texts } = values;
	const read = (name: keyof typeof texts, otherwise: number) =>
		wholeNumber(name, texts[name] ?? String(otherwise));
	const times = isFull ? full : quick;
	const usual = sizeFor(read("agents", 100_000));
	const main = {
		agents: usual.agents,
		stays: read("stays", usual.stays),
		log: read("log", usual.log),
		guests: read("guests", usual.guests),
		experiences: read("experiences", usual.experiences),
		votes: read("votes", usual.votes),
		postcards: read("postcards", usual.postcards),
	};
	if (main.guests > Math.min(MAX_GUESTS, main.agents, main.stays)) {
		throw new Error(`--guests: at most ${MAX_GUESTS}, --agents and --stays, as each has a room`);
	}
	return {
		parts: positionals,
		seconds: read("seconds", times.seconds),
		rounds: read("rounds", times.rounds),
		minutes: read("minutes", times.minutes),
		seed: read("seed", 1),
		main,
		small: sizeFor(1_000),
		large: sizeFor(read("large", 1_000_000)),
		shared: { ...sizeFor(10_000), guests: 500 },
	};
}

/** What a community of so many agents has: the same share of them is checked in, whatever their number. */
function sizeFor(agents: number): Size {
	return {
		agents,
		stays: agents * 3,
		log: Math.min(agents * 10, 1_000_000),
		guests: Math.min(Math.max(Math.floor(agents / 200), 1), MAX_GUESTS),
		experiences: 200,
		votes: 5_000,
		postcards: 2_000,
	};
}

function wholeNumber(name: string, text: string): number {
	if (!/^[1-9]\d{0,8}$/.test(text)) {
		throw new Error(`--${name} ${text}: not a whole number above 0`);
	}
	return Number(text);
}
