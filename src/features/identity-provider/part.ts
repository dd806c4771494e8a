import type { Part } from "../../core/commands/feature.ts";
import { type IdentityOptions, IdentityProvider } from "./identity-provider.ts";
import { profileSettingsOperations } from "./profile-settings/operations.ts";

/** What the identity provider adds to an instance. */
export const identityPart = (options: Omit<IdentityOptions, "clock">): Part => ({
	operations: profileSettingsOperations,
	provider: (clock) => new IdentityProvider({ ...options, clock }),
});
