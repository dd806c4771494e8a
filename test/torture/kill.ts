import { join } from "node:path";
import { seededRandom } from "../../src/lib/random.ts";
import { executable, temporaryFolder } from "../support/executable.ts";
import { examine } from "./consistency.ts";
import { Crowd } from "./crowd.ts";
import { Ledger } from "./ledger.ts";
import type { Options, Part, Report } from "./part.ts";
import { serveApart } from "./server.ts";

const CLIENTS = 32;

/** The longest time of writing before a kill. */
const MAX_LOAD_MS = 1_500;

/** The longest time after which a start is killed. */
const MAX_START_MS = 60;

/** How many acknowledged writes one database may have; then a new one begins. */
const WRITES_PER_DATABASE = 150_000;

/** Kills the server under write load, time after time, and looks whether all it acknowledged is there. */
export const kill: Part = {
	name: "kill",
	about: "kill -9 under write load loses nothing that was acknowledged",
	async run({ seed, goesOn, progress }: Options): Promise<Report> {
		const random = seededRandom(seed);
		const startsMs: number[] = [];
		const failures: string[] = [];
		let rounds = 0;
		let cutStarts = 0;
		let acknowledged = 0;
		while (goesOn(rounds)) {
			using folder = temporaryFolder();
			const ledger = new Ledger();
			const crowd = new Crowd(ledger, random, CLIENTS);
			const place = { cwd: folder.path };
			const flags = serveFlags();
			while (goesOn(rounds) && ledger.acknowledged < WRITES_PER_DATABASE) {
				if (random.below(4) === 0) {
					await killStart(flags, folder.path, random.below(MAX_START_MS));
					cutStarts++;
				}
				const startedMs = performance.now();
				const server = await serveApart(flags, place);
				startsMs.push(performance.now() - startedMs);
				failures.push(
					...(await crowd.check(server.url)),
					...examine(join(folder.path, "resort.sqlite"), (sqlite) =>
						ledger.check(sqlite),
					),
				);
				const writing = crowd.write(server.url);
				await Bun.sleep(random.below(MAX_LOAD_MS));
				await server.stop("SIGKILL");
				await writing;
				failures.push(...crowd.takeFailures());
				rounds++;
				progress(`${rounds} kills`);
			}
			const server = await serveApart(flags, place);
			failures.push(...(await crowd.check(server.url)));
			await server.stop();
			failures.push(
				...examine(join(folder.path, "resort.sqlite"), (sqlite) =>
					ledger.check(sqlite),
				),
			);
			acknowledged += ledger.acknowledged;
		}
		startsMs.sort((a, b) => a - b);
		return {
			figures: [
				["kills under load", `${rounds}`],
				["kills of a start", `${cutStarts}`],
				["clients", `${CLIENTS}`],
				["acknowledged writes", `${acknowledged}`],
				["restart, median", `${at(startsMs, 0.5)} ms`],
				["restart, longest", `${at(startsMs, 1)} ms`],
			],
			failures,
		};
	},
};

function serveFlags(): string[] {
	return ["serve", "--port", "0", "--rate-limits", "off"].concat(
		["--database", "resort.sqlite"],
		["--log-level", "warning"],
	);
}

async function killStart(
	flags: readonly string[],
	cwd: string,
	afterMs: number,
): Promise<void> {
	const child = Bun.spawn([executable, ...flags], {
		cwd,
		env: {},
		stdout: "ignore",
		stderr: "ignore",
	});
	await Bun.sleep(afterMs);
	child.kill("SIGKILL");
	await child.exited;
}

function at(sorted: readonly number[], share: number): string {
	const index = Math.min(Math.floor(sorted.length * share), sorted.length - 1);
	return (sorted[index] ?? Number.NaN).toFixed(0);
}
