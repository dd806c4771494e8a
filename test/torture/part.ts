/** The shape of a torture program. */

/** How long a part goes on, and with what chance. */
export interface Options {
	/** Decides what is drawn: the same seed draws the same. A whole number from 0 to 4294967295. */
	readonly seed: number;
	/** Aborted when the program is told to end: the part stops within a round, and reports what it did. */
	readonly stop: AbortSignal;
	/**
	 * Whether another round is to be done; the first always is, if it was not stopped before.
	 * @param done how many rounds have been done
	 */
	goesOn(done: number): boolean;
	/** The commit of the version before this one, for an exchange of versions. */
	readonly before: string;
	/** The major version of PostgreSQL; the usual one when undefined. */
	readonly postgres: number | undefined;
	/** Tells on stderr how far the part is, unless it was told just before: `40,000 requests`. */
	progress(soFar: string): void;
}

/** What a part found. */
export interface Report {
	/** Rows of a table: what was measured, and the figure with its unit. */
	readonly figures: readonly (readonly [label: string, value: string])[];
	/** A sentence for each thing that did not hold; empty when all did. */
	readonly failures: readonly string[];
}

/** A torture program: a file of this folder exports it, and `run.ts` lists it. */
export interface Part {
	/** One word, as it is named on the command line. */
	readonly name: string;
	/** What must hold, in one line. */
	readonly about: string;
	/** Runs the built executable and tries to break it; throws when it cannot even begin. */
	run(options: Options): Promise<Report>;
}
