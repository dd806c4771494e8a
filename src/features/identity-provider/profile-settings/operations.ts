import { Type } from "@sinclair/typebox";
import { AgentProfile, profileNames, UpdateProfileBody } from "../../../core/resort/agents/model.ts";
import { toProfile, updateProfile } from "../../../core/resort/agents/service.ts";
import { failures } from "../../../core/resort/failures.ts";
import { operation, tags } from "../../../core/resort/operation.ts";
import { operationAt, tagged } from "../../../core/resort/operations.ts";
import { Answer } from "../../../core/resort/schemas.ts";

/** The fields of a profile that belong to the identity. All others belong to the app settings. */
const identityFields = ["name", "bio", "avatarUrl"] as const;

/** An agent's identity at the provider, and the agent's app settings. */
const ProfileSettings = Type.Object(
	{
		identity: Type.Composite([
			Type.Object({ provider: Type.String(), subject: Type.String() }),
			Type.Pick(AgentProfile, identityFields),
		]),
		app: Type.Omit(Type.Pick(AgentProfile, profileNames), identityFields),
	},
	{ title: "ProfileSettings" },
);

/** The operation that changes the profile of an agent whose identity the identity provider manages. */
export const profileSettingsOperations = tagged(tags.agents, [
	operation("PATCH /api/profile-settings", {
		id: "updateProfileSettings",
		summary: "Change identity and app settings",
		description:
			"Requires at least one field of `identity` or `app`. Omitted fields stay unchanged; `null` clears a nullable field.",
		credential: "key",
		limit: operationAt("PATCH /api/me").limit,
		body: Type.Object(
			{
				identity: Type.Optional(Type.Pick(UpdateProfileBody, identityFields)),
				app: Type.Optional(Type.Omit(UpdateProfileBody, identityFields)),
			},
			{ minProperties: 1 },
		),
		answers: { 200: Answer({ agent: AgentProfile, settings: ProfileSettings }) },
		*change({ context, caller, body }) {
			const { provider } = context;
			const { agent, credential } = caller;
			if (provider === null || !("subject" in credential)) {
				throw failures.unauthorized(context);
			}
			const changes = { ...body.identity, ...body.app };
			const profile = toProfile(yield* updateProfile(context, agent.id, changes));
			const { subject } = credential;
			// Both objects contain the whole profile, because the schemas of the answer select their fields.
			const identity = { ...profile, provider: provider.origin, subject };
			return { agent: profile, settings: { identity, app: profile } };
		},
	}),
]);
