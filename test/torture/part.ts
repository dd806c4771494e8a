import { type Place, type Serving, serve } from "../support/executable.ts";

/** The usual flags of an instance: without rate limits. */
const UNLIMITED: readonly string[] = ["--rate-limits=off", "--log-level=warning"];

/** The duration of a part, and the seed of its random values. */
export interface Options {
	/** The same seed yields the same random values. A whole number from 0 to 4294967295. */
	readonly seed: number;
	/** Aborted to end the program. The part then finishes its current round at most, and returns its report. */
	readonly stop: AbortSignal;
	/** Returns whether to run another round. The first one always runs, unless the part was stopped. */
	goesOn(done: number): boolean;
	/** The commit of the previous version, for the part that exchanges instances of two versions. */
	readonly before: string;
}

/** The results of a part. */
export interface Report {
	/** Rows of a table: a label, and a value with its unit. */
	readonly figures: readonly (readonly [label: string, value: string])[];
	/** The failures, each as a sentence; empty if there are none. */
	readonly failures: readonly string[];
}

/** A torture test. A file in this folder exports it, and `run.ts` lists it. */
export interface Part {
	readonly name: string;
	readonly about: string;
	/** Tries to break the built executable. Throws if the test cannot begin. */
	run(options: Options): Promise<Report>;
}

/** Starts an instance that trusts `X-Forwarded-For`, in a separate session, which Ctrl-C does not end. */
export function serveApart(database: string, place: Place, flags = UNLIMITED): Promise<Serving> {
	return serve(["serve", "--port=0", "--trusted-proxies=127.0.0.1", `--database=${database}`, ...flags], {
		...place,
		before: ["setsid"],
	});
}

/** Returns a percentile of the values, given as a share from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = Float64Array.from(values).sort();
	return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}
