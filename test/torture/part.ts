import { type Place, type Serving, serve } from "../support/executable.ts";

/** How long a part goes on, and what its random follows from. */
export interface Options {
	/** The same seed draws the same. A whole number from 0 to 4294967295. */
	readonly seed: number;
	/** Aborted when the program is to end: the part stops within a round, and reports what it did. */
	readonly stop: AbortSignal;
	/** Whether to run another round. The first round always runs, unless it was stopped before. */
	goesOn(done: number): boolean;
	/** The commit of the version before this one, for an exchange of versions. */
	readonly before: string;
}

/** What a part measured and found. */
export interface Report {
	/** Rows of a table: a label, and the figure with its unit. */
	readonly figures: readonly (readonly [label: string, value: string])[];
	/** A sentence for each thing that did not hold; empty when all did. */
	readonly failures: readonly string[];
}

/** A torture program: a file of this folder exports it, and `run.ts` lists it. */
export interface Part {
	readonly name: string;
	readonly about: string;
	/** Runs the built executable and tries to break it; throws when it cannot even begin. */
	run(options: Options): Promise<Report>;
}

/** Serves a database without limits, in a session of its own: Ctrl-C must not end the process. */
export function serveApart(database: string, place: Place): Promise<Serving> {
	return serve(
		[
			"serve",
			"--port",
			"0",
			"--rate-limits",
			"off",
			"--log-level",
			"warning",
			"--trusted-proxies",
			"127.0.0.1",
			"--database",
			database,
		],
		{ ...place, before: ["setsid"] },
	);
}

/** Returns a percentile. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = Float64Array.from(values).sort();
	return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}
