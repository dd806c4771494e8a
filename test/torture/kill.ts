import { join } from "node:path";
import { seededRandom } from "../../src/features/testing/seeded-random.ts";
import { start } from "../support/executable.ts";
import { TemporaryFolder } from "../support/folder.ts";
import { Answers } from "./answers.ts";
import { examineFile } from "./consistency.ts";
import { Crowd } from "./crowd.ts";
import { guest } from "./guest.ts";
import { type Part, serveApart } from "./part.ts";

const GUESTS = 32;
/** The maximum time for which guests write before a kill. */
const MAX_LOAD_MS = 1_500;
/** The maximum time after which a starting server is killed. */
const MAX_START_MS = 60;
/** The number of acknowledged writes after which a new database is used. */
const WRITES_PER_DATABASE = 150_000;

/** Kills the server repeatedly while guests write, and checks that all acknowledged writes are stored. */
export const kill: Part = {
	name: "kill",
	about: "kill -9 under write load loses nothing that was acknowledged",
	async run({ seed, goesOn }) {
		const random = seededRandom(seed);
		const answers = new Answers();
		const failures: string[] = [];
		let rounds = 0;
		let cutStarts = 0;
		let acknowledged = 0;
		while (goesOn(rounds)) {
			using folder = new TemporaryFolder();
			const place = { cwd: folder.path };
			const crowd = new Crowd(answers, random, [null], guest);
			crowd.begin(GUESTS);
			const restart = async () => {
				const server = await serveApart("resort.sqlite", place);
				const file = join(folder.path, "resort.sqlite");
				failures.push(...(await examineFile(file, crowd.book)));
				return server;
			};
			const isFull = () => crowd.book.acknowledged >= WRITES_PER_DATABASE;
			for (let isOver = false; !isOver; rounds++) {
				if (random.below(4) === 0) {
					await killStart(folder.path, random.below(MAX_START_MS));
					cutStarts++;
				}
				const server = await restart();
				crowd.urls[0] = server.url;
				await Bun.sleep(random.below(MAX_LOAD_MS));
				await server.stop("SIGKILL");
				await crowd.pause();
				isOver = isFull() || !goesOn(rounds + 1);
			}
			await (await restart()).stop();
			await crowd.stop();
			acknowledged += crowd.book.acknowledged;
		}
		return {
			figures: [
				["kills under load", `${rounds}`],
				["kills of a start", `${cutStarts}`],
				["acknowledged writes", `${acknowledged}`],
			],
			failures: [...failures, ...answers.failures],
		};
	},
};

async function killStart(cwd: string, afterMs: number): Promise<void> {
	const args = ["serve", "--port", "0", "--database", "resort.sqlite"];
	await using _ = start(args, { cwd });
	await Bun.sleep(afterMs);
}
