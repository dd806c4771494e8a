import { isRecord, pick } from "../../lib/record.ts";
import { type Agent, toProfile } from "../agents/service.ts";
import { appFields, identityFields, type ProfileSettings } from "./model.ts";

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
 * A body without the groups in which there is no known field, so that one that changes nothing is refused as an
 * empty one is.
 * @param body not judged yet
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
