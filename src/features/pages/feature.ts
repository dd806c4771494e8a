import type { Feature } from "../../core/commands/feature.ts";
import { settings } from "./settings.ts";

/** Shows the resort to people, browsers and feed readers. */
export const pages = {
	settings,
	loadOperations: async () => (await import("./part.ts")).pagesPart({ page: true, "security-contact": "" }),
	load: async (config) => (await import("./part.ts")).pagesPart(config),
} satisfies Feature<typeof settings>;
