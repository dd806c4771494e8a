import type { IdentityOptions } from "../../../src/features/identity-provider/identity-provider.ts";
import { identityPart } from "../../../src/features/identity-provider/part.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface Setup {
		/** The identity provider behind which the resort stands; none by default. */
		readonly identity?: Pick<IdentityOptions, "url" | "secrets">;
	}
}

/** Resorts behind an identity provider. */
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
