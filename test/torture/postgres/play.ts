import { seededRandom } from "../../../src/features/testing/seeded-random.ts";
import { Answers, type Limits } from "../answers.ts";
import type { Found } from "../book.ts";
import type { Options, Part, Report } from "../part.ts";
import { Ground, type Pressure } from "./ground.ts";
import { plansFor, type Scene } from "./scenes.ts";

/** The limits for instances that run alone on a machine that is not busy. */
const LIMITS: Limits = { answerMs: 2_500, returnMs: 5_000 };

const PRESSURE: Pressure = { guests: 16, calmMs: 1_500 };

/** Returns a torture test that repeatedly causes the fault that a scene describes. */
export function partOf(scene: Scene): Part {
	return { name: `postgres-${scene.name}`, about: scene.about, run: (options) => play(scene, options) };
}

/** Repeatedly causes the fault that a scene describes, and checks the writes of the guests. */
export async function play(
	scene: Scene,
	options: Options,
	limits = LIMITS,
	pressure = PRESSURE,
): Promise<Report> {
	if (scene.reasonAgainst !== undefined) {
		return { figures: [["left out", scene.reasonAgainst]], failures: [] };
	}
	const { seed, goesOn } = options;
	const random = seededRandom(seed);
	const answers = new Answers(limits);
	const all: Found[] = [];
	let rounds = 0;
	while (goesOn(rounds)) {
		await using opened = new AsyncDisposableStack();
		const { plans, database, strike } = await scene.open(opened, options.before);
		await using ground = new Ground(plans ?? plansFor(database), random.below(2 ** 32), answers, pressure);
		await ground.begin();
		do {
			await Bun.sleep(pressure.calmMs);
			await strike(ground, random);
			answers.heal();
			await answers.allServe(ground.size);
			rounds++;
		} while (scene.isOnce !== true && goesOn(rounds));
		await Bun.sleep(pressure.calmMs);
		all.push(await ground.finish(database));
	}
	const sum = (name: "acknowledged" | "refused" | "unknown") =>
		all.reduce((total, found) => total + found[name], 0);
	const unclear = sum("unknown");
	if (scene.isSeamless === true && unclear > 0) {
		answers.fail(`${unclear} writes without a clear answer`);
	}
	return {
		figures: [
			["strikes", `${rounds}`],
			["acknowledged writes", `${sum("acknowledged")}`],
			["refused for certain", `${sum("refused")}`],
			["without a clear answer", `${unclear}`],
		],
		failures: [...answers.failures, ...all.flatMap((one) => one.failures)],
	};
}
