import { Elysia } from "elysia";
import { toProfile } from "../agents/service.ts";
import { failures } from "../errors.ts";
import type { Guards } from "../http/guards.ts";
import { answers } from "../http/schemas.ts";
import type { IdentityProvider } from "../identity/provider.ts";
import type { Resort } from "../resort.ts";
import { ProfileSettingsAnswer, ProfileSettingsBody } from "./model.ts";
import { toSettings, updateProfileSettings } from "./service.ts";

/** The settings of an agent that comes from an identity provider; only in that mode (decisions 7). */
export const settingsRoutes = (
	resort: Resort,
	guards: Guards,
	{ url, origin }: IdentityProvider,
) =>
	new Elysia({ name: "settings" }).use(guards).patch(
		"/api/profile-settings",
		async ({ caller, body }) => {
			if (!("subject" in caller.credential)) throw failures.unauthorized(url);
			const { subject } = caller.credential;
			const agent = await updateProfileSettings(resort, caller.agent.id, body);
			return {
				ok: true as const,
				agent: toProfile(agent),
				settings: toSettings(agent, origin, subject),
			};
		},
		{
			credential: "key",
			limit: "update-profile",
			body: ProfileSettingsBody,
			detail: {
				operationId: "updateProfileSettings",
				summary: "Change identity and app settings",
				description:
					"At least one field of `identity` or `app`; a field that is left out stays as it is, `null` clears one that may be null.",
				tags: ["Agents"],
			},
			response: answers(200, ProfileSettingsAnswer, 400, 401, 429),
		},
	);
