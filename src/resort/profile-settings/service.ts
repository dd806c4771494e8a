import { type Agent, updateProfile } from "../agents/service.ts";
import type { Resort } from "../resort.ts";
import type { ProfileSettings, ProfileSettingsBody } from "./model.ts";

/**
 * Changes identity and app settings, which are the agent's profile (PATCH /api/profile-settings).
 * @throws ResortError as {@link updateProfile}
 */
export function updateProfileSettings(
	resort: Resort,
	agentId: string,
	{ identity, app }: ProfileSettingsBody,
): Promise<Agent> {
	return updateProfile(resort, agentId, { ...identity, ...app });
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
