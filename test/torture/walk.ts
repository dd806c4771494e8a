import { statfsSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../../scripts/compile.ts";
import { HOUR_MS } from "../../src/lib/clock.ts";
import { temporaryFolder } from "../support/executable.ts";
import type { Rules } from "../walk/model.ts";
import { counted } from "./figures.ts";
import type { Part } from "./part.ts";
import { addTo, nothing, ROUND } from "./walk-round.ts";
import { Walker } from "./walker.ts";

/** A folder that Linux keeps in memory. A kill leaves it as it is, like a disk's pages that were not written yet. */
const MEMORY = "/dev/shm";
/** How much must be free there. */
const MIN_FREE_BYTES = 2 ** 30;

const usual: Rules = { rateLimits: false, maxStayMs: 0 };
const all: readonly [Rules, ...Rules[]] = [
	usual,
	{ ...usual, rateLimits: true },
	{ ...usual, maxStayMs: 6 * HOUR_MS },
];

/** Walks through the application as `test/walk` does, on a file, with restarts or kills in between. */
export const walk: Part = {
	name: "walk",
	about: `a model foretells every answer, through restarts, kills and jumps of the clock; a round is ${counted(ROUND)} steps`,
	async run({ seed, stop, goesOn, progress }) {
		using folder = temporaryFolder();
		const program = join(folder.path, "walk-child");
		await compile(program, undefined, "test/torture/walk-child.ts");
		const walked = nothing();
		const failures: string[] = [];
		let begun = 0;
		const add = (more: typeof walked) => {
			addTo(walked, more);
			progress(`${counted(walked.steps)} steps`);
		};
		const walkOn = async () => {
			using walker = new Walker(program, fastFolder());
			const end = () => walker.stop();
			stop.addEventListener("abort", end);
			while (failures.length === 0 && goesOn(begun)) {
				const round = begun++;
				const rules = all[(round >> 1) % all.length] ?? usual;
				const order = {
					rules,
					seed: (seed + round) % 2 ** 32,
					isKilled: round % 2 === 1,
				};
				const failure = await walker.walk(order, add);
				if (failure === null) continue;
				failures.push(`with --seed ${seed}, in round ${round}: ${failure}`);
			}
			stop.removeEventListener("abort", end);
		};
		const walkers = availableParallelism();
		await Promise.all(Array.from({ length: walkers }, walkOn));
		const { fates } = walked;
		return {
			figures: [
				["walks at a time", counted(walkers)],
				["steps, each answer compared", counted(walked.steps)],
				["closed and opened again", counted(walked.restarts)],
				["killed at a write that was acknowledged", counted(fates.answered)],
				["killed before, and done as a whole", counted(fates.done)],
				["killed before, and not done", counted(fates.undone)],
			],
			failures,
		};
	},
};

/** Where databases cost no wait for a disk, if there is such a folder. */
function fastFolder(): string {
	try {
		const { bavail, bsize } = statfsSync(MEMORY);
		return bavail * bsize < MIN_FREE_BYTES ? tmpdir() : MEMORY;
	} catch {
		return tmpdir();
	}
}
