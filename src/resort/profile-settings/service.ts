import { isRecord, pick } from "../../lib/record.ts";
import { type Agent, toProfile } from "../agents/service.ts";
import { appFields, identityFields, type ProfileSettings } from "./model.ts";

/**
 * Returns an agent's profile as settings.
 * @param provider the origin of the identity provider
 * @param subject the id of the agent there
 */
export function toSettings(
	agent: Agent,
	provider: string,
	subject: string,
): ProfileSettings {
	const profile = toProfile(agent);
	return {
		identity: {
			provider,
			subject,
			...pick(profile, identityFields),
		},
		app: pick(profile, appFields),
	};
}

/**
 * Removes groups without known fields, so that a body that changes nothing is refused like an empty one.
 * @param body before its validation
 */
export function withoutEmptyGroups(body: object): object {
	const { identity, app }: { identity?: unknown; app?: unknown } = body;
	return {
		...(hasNone(identityFields, identity) ? {} : { identity }),
		...(hasNone(appFields, app) ? {} : { app }),
	};
}

/** Whether a group is left out, or an object without any of its fields. */
function hasNone(fields: readonly string[], group: unknown = {}): boolean {
	return isRecord(group) && !fields.some((name) => name in group);
}
