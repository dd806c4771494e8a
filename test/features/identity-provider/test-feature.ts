import { IdentityProvider } from "../../../src/features/identity-provider/identity-provider.ts";
import type { IdentityOptions } from "../../../src/features/identity-provider/introspection.ts";
import { profileSettingsOperations } from "../../../src/features/identity-provider/profile-settings/operations.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** The identity provider of the resort; none by default. */
		readonly identity?: Pick<IdentityOptions, "url" | "secrets">;
	}
}

/** Adds an identity provider to the resorts of tests. */
export const identityProvider: TestFeature = {
	part: ({ identity, rateLimits = false }) =>
		identity === undefined
			? null
			: {
					operations: profileSettingsOperations,
					provider: (clock) =>
						new IdentityProvider({
							...identity,
							introspectionPath: "/oauth2/introspect",
							rateLimits: rateLimits !== false,
							clock,
						}),
				},
};
