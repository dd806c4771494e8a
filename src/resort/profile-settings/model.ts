import { Type } from "@sinclair/typebox";
import {
	AgentProfile,
	profileNames,
	UpdateProfileBody,
} from "../agents/model.ts";

/** The fields of an identity. */
export const identityFields = ["name", "bio", "avatarUrl"] as const;

type IdentityField = (typeof identityFields)[number];
type AppField = Exclude<(typeof profileNames)[number], IdentityField>;

/** The fields of the app settings: all others of a profile. */
export const appFields = profileNames.filter(
	(name): name is AppField =>
		!(identityFields as readonly string[]).includes(name),
);

/** The writable fields of an agent's identity and app settings; the bounds are those of its profile. */
export const ProfileSettingsBody = Type.Object(
	{
		identity: Type.Optional(Type.Pick(UpdateProfileBody, identityFields)),
		app: Type.Optional(Type.Pick(UpdateProfileBody, appFields)),
	},
	{ minProperties: 1 },
);

/** An agent's settings and its identity at the provider. */
export const ProfileSettings = Type.Object(
	{
		identity: Type.Composite([
			Type.Object({ provider: Type.String(), subject: Type.String() }),
			Type.Pick(AgentProfile, identityFields),
		]),
		app: Type.Pick(AgentProfile, appFields),
	},
	{ title: "ProfileSettings" },
);
