import type { Feature, Part } from "../../core/commands/feature.ts";
import { settings } from "./settings.ts";

const off: Part = {
	pathHints: [
		{
			paths: /^\/api\/profile-settings$/i,
			hint: "Only resorts with an identity provider have this operation; PATCH /api/me changes a profile.",
		},
	],
};

const loadOperations = async () => ({
	operations: (await import("./profile-settings/operations.ts")).profileSettingsOperations,
});

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
	settingsOfCommands: ["identity-url"],
	providerUrl: (config) => config["identity-url"] ?? null,
	loadOperations,
	loadTables: () => import("./tables.ts"),
	async load(config) {
		const { "identity-url": url, "identity-secret": secrets } = config;
		if (url === null || secrets === null) return off;
		const { IdentityProvider } = await import("./identity-provider.ts");
		const introspectionPath = config["identity-introspection-path"];
		const rateLimits = config["rate-limits"] !== false;
		return {
			...(await loadOperations()),
			provider: (clock) => new IdentityProvider({ url, secrets, introspectionPath, rateLimits, clock }),
		};
	},
} satisfies Feature<typeof settings>;
