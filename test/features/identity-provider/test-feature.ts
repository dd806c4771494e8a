import type { IdentityOptions } from "../../../src/features/identity-provider/introspection.ts";
import { identityPart } from "../../../src/features/identity-provider/part.ts";
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
			: identityPart({
					...identity,
					introspectionPath: "/oauth2/introspect",
					rateLimits: rateLimits !== false,
				}),
};
