import { copyFileSync } from "node:fs";
import { constants } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "./generate.ts";
import type { Size } from "./rows.ts";

/** What every part of the benchmark receives. */
export interface Bench {
	/** The duration of each run of the load generator. */
	readonly seconds: number;
	/** The number of runs for each server. Figures are the medians of these runs. */
	readonly rounds: number;
	/** A folder that is deleted after the part. */
	readonly folder: string;
	/** Creates a new copy of a generated database, to which the part may write. Returns its path. */
	database(size: Size): Promise<string>;
}

/** @param options the values that are passed on to the part */
export function createBench(options: Pick<Bench, "seconds" | "rounds" | "folder">): Bench {
	let copies = 0;
	return {
		...options,
		async database(size) {
			const copy = join(options.folder, `${++copies}.sqlite`);
			copyFileSync(await generate(size), copy, constants.COPYFILE_FICLONE);
			return copy;
		},
	};
}
