import { type Agent, updateProfile } from "../agents/service.ts";
import { ResortError } from "../errors.ts";
import type { Resort } from "../resort.ts";
import type { ProfileSettings, ProfileSettingsBody } from "./model.ts";

/**
 * Changes identity and app settings, which are the agent's profile (PATCH /api/profile-settings).
 * @throws ResortError `invalid` when there is no known field, and as {@link updateProfile}
 */
export async function updateProfileSettings(
	resort: Resort,
	agentId: string,
	{ identity, app }: ProfileSettingsBody,
): Promise<Agent> {
	const fields = { ...identity, ...app };
	if (Object.keys(fields).length === 0) {
		throw new ResortError(
			"invalid",
			"Body must have a field in identity or app",
		);
	}
	return updateProfile(resort, agentId, fields);
}

/**
 * An agent's profile as settings.
 * @param provider the origin of the identity provider
 * @param subject who the agent is there
 */
export function toSettings(
	agent: Agent,
	provider: string,
	subject: string,
): ProfileSettings {
	const { name, bio, avatarUrl } = agent;
	const { relaxationStyle, comfortObjects, interests, roomPreference } = agent;
	return {
		identity: { provider, subject, name, bio, avatarUrl },
		app: { relaxationStyle, comfortObjects, interests, roomPreference },
	};
}
