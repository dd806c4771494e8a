import { AgentProfile } from "../agents/model.ts";
import { toProfile, updateProfile } from "../agents/service.ts";
import { failures } from "../failures.ts";
import { operation } from "../operation.ts";
import { Answer } from "../schemas.ts";
import { ProfileSettings, ProfileSettingsBody } from "./model.ts";
import { toSettings, withoutEmptyGroups } from "./service.ts";

/** The settings of an agent that comes from an identity provider. */
export const profileSettingsOperations = [
	operation("PATCH /api/profile-settings", {
		id: "updateProfileSettings",
		summary: "Change identity and app settings",
		description:
			"At least one field of `identity` or `app`; a field that is left out stays as it is, `null` clears one that may be null.",
		only: "provider",
		credential: "key",
		limit: "update-profile",
		body: ProfileSettingsBody,
		prepare: withoutEmptyGroups,
		answers: {
			200: Answer({ agent: AgentProfile, settings: ProfileSettings }),
		},
		async run({ context, caller, body }) {
			const { provider } = context;
			const { agent, credential } = caller;
			if (provider === null || !("subject" in credential)) {
				throw failures.unauthorized(provider?.url);
			}
			const changes = { ...body.identity, ...body.app };
			const updated = await updateProfile(context, agent.id, changes);
			return {
				agent: toProfile(updated),
				settings: toSettings(updated, provider.origin, credential.subject),
			};
		},
	}),
];
