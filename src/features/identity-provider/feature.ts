import type { Feature } from "../../core/commands/feature.ts";
import { settings } from "./settings.ts";

/** Lets an external identity provider register agents and issue their keys. */
export const identityProvider = {
	settings,
	conflicts({ "identity-url": url, "identity-secret": secret, registration }) {
		return [
			[
				(url === null) !== (secret === null),
				"--identity-url and --identity-secret must be set together: set both or neither",
			],
			[
				url !== null && registration !== "open",
				"--registration cannot be combined with --identity-url: the provider decides who may register",
			],
		];
	},
	loadTables: () => import("./tables.ts"),
} satisfies Feature<typeof settings>;
