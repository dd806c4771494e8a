import type { Part } from "../../core/commands/feature.ts";
import { IdentityProvider } from "./identity-provider.ts";
import type { IdentityOptions } from "./introspection.ts";
import { profileSettingsOperations } from "./profile-settings/operations.ts";

/** What the identity provider adds to an instance. */
export const identityPart = (options: Omit<IdentityOptions, "clock">): Part => ({
	operations: profileSettingsOperations,
	provider: (clock) => new IdentityProvider({ ...options, clock }),
});
