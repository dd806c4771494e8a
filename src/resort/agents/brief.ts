import { briefThemes } from "../../content/briefs.ts";
import { pick, pickSome, type Random } from "../../lib/random.ts";
import type { IdentityBrief } from "./model.ts";

/** Draws an identity brief: all its parts come from one theme, so that they fit together. */
export function createBrief(random: Random): IdentityBrief {
	const theme = pick(random, briefThemes);
	return {
		roomType: pick(random, theme.roomTypes),
		relaxationStyle: pick(random, theme.relaxationStyles),
		persona: pick(random, theme.personas),
		comfortObject: pick(random, theme.comfortObjects),
		ambientSound: pick(random, theme.ambientSounds),
		secretIndulgence: pick(random, theme.secretIndulgences),
		nameSeeds: pickSome(random, theme.nameSeeds, 4),
	};
}
