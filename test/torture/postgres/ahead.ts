import { join } from "node:path";

/** Runs the service from its source with a clock that is an hour ahead. */
export const aheadProgram: readonly string[] = [
	process.execPath,
	"--preload",
	join(import.meta.dir, "hour-ahead.ts"),
	join(import.meta.dir, "../../../src/main.ts"),
];
