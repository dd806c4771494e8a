import type { Feature } from "../../core/commands/feature.ts";
import { settings } from "./settings.ts";

/** Sends events to programs. */
export const webhooks = {
	settings,
	loadTables: () => import("./tables.ts"),
} satisfies Feature<typeof settings>;
