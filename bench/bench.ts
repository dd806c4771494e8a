import { copyFileSync } from "node:fs";
import { constants } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "./generate.ts";
import type { Size } from "./rows.ts";

/** What every part gets. */
export interface Bench {
	/** How long each run of the load generator takes. */
	readonly seconds: number;
	/** How many runs each server gets; figures are their medians. */
	readonly rounds: number;
	/** A folder that is removed after the part. */
	readonly folder: string;
	/** A copy of a generated database, to be written to; with each call another one. */
	database(size: Size): Promise<string>;
}

/** @param options what the part gets as well */
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
