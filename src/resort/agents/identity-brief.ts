import { briefThemes } from "../../content/brief-themes.ts";
import { pickOne, pickSome, type Random } from "../../lib/random.ts";
import type { IdentityBrief } from "./model.ts";

/** Creates a random identity brief; all its parts are of one theme. */
export function createIdentityBrief(random: Random): IdentityBrief {
	const theme = pickOne(random, briefThemes);
	return {
		roomType: pickOne(random, theme.roomTypes),
		relaxationStyle: pickOne(random, theme.relaxationStyles),
		persona: pickOne(random, theme.personas),
		comfortObject: pickOne(random, theme.comfortObjects),
		ambientSound: pickOne(random, theme.ambientSounds),
		secretIndulgence: pickOne(random, theme.secretIndulgences),
		nameSeeds: pickSome(random, theme.nameSeeds, 4),
	};
}
