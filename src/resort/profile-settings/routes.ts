import type { Static } from "@sinclair/typebox";
import type { IdentityProvider } from "../../access/provider/mode.ts";
import type { Guarded } from "../../http/guards.ts";
import { toProfile } from "../agents/service.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";
import { answers } from "../schemas.ts";
import {
	appFields,
	identityFields,
	ProfileSettingsAnswer,
	ProfileSettingsBody,
} from "./model.ts";
import { toSettings, updateProfileSettings } from "./service.ts";

/** The settings of an agent that comes from an identity provider; only in that mode (decisions 7). */
export const settingsRoutes = (
	app: Guarded,
	resort: Resort,
	{ url, origin }: IdentityProvider,
) =>
	app.patch(
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
			transform(context) {
				context.body = withoutEmptyGroups(context.body);
			},
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

/**
 * A body without the groups in which there is no known field, so that one that changes nothing is refused
 * as an empty one is (decisions 2 and 8).
 * @param body of PATCH /api/profile-settings, not judged yet
 */
function withoutEmptyGroups(
	body: Static<typeof ProfileSettingsBody>,
): Static<typeof ProfileSettingsBody> {
	if (typeof body !== "object") return body;
	const { identity, app } = body;
	return {
		...(hasNone(identityFields, identity) ? {} : { identity }),
		...(hasNone(appFields, app) ? {} : { app }),
	};
}

/** Whether a group is left out, or an object without any of its fields. */
function hasNone(fields: readonly string[], group: unknown = {}): boolean {
	const isObject = typeof group === "object" && !Array.isArray(group);
	return isObject && group !== null && !fields.some((name) => name in group);
}
