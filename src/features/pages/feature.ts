import type { Feature } from "../../core/commands/feature.ts";
import { settings } from "./settings.ts";

/** Shows the resort to people, browsers and feed readers. */
export const pages = { settings } satisfies Feature<typeof settings>;
