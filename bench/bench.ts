import { copyFileSync } from "node:fs";
import { constants } from "node:fs/promises";
import { join } from "node:path";
import { type Generated, generate } from "./generate.ts";
import type { Options, Size } from "./options.ts";

/** What every part gets. */
export interface Bench {
	readonly options: Options;
	/** A folder that is removed after the part. */
	readonly folder: string;
	/** A copy of a generated database, to be written to; with each call another one. */
	database(size: Size): Promise<Generated>;
}

/** @param folder where copies go */
export function createBench(options: Options, folder: string): Bench {
	let copies = 0;
	return {
		options,
		folder,
		async database(size) {
			const made = await generate(size, options.seed);
			const copy = join(folder, `${++copies}.sqlite`);
			copyFileSync(made.database, copy, constants.COPYFILE_FICLONE);
			return { ...made, database: copy };
		},
	};
}
