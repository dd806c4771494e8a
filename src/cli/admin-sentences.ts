/** What `resort admin` says of a change: whom it was about, and what came of it. */
import {
	counted,
	type Fields,
	fieldsOf,
	readableTime,
	said,
} from "./admin-text.ts";

/** What has changed, for people; null when the answer is that of an older instance, which told less. */
export type Sentence = (answer: Fields) => string | null;

/** The sentences of the changes, by the names of their commands. */
export const sentences = {
	checkOut: ({ name, id, stay }) => {
		const { relaxationPoints } = fieldsOf(stay);
		return said`Checked out: ${name} (${id}), ${relaxationPoints === undefined ? null : counted(relaxationPoints, "point")}.`;
	},
	deactivate: ({ name, id }) => said`Deactivated: ${name} (${id}).`,
	reactivate: ({ name, id, status, apiKey }) =>
		joined(
			said`Reactivated: ${name} (${id}), ${status}.`,
			apiKey === null
				? "It signs in with the keys of the identity provider.\n"
				: said`api key: ${apiKey}`,
		),
	resetKey: ({ name, id, apiKey }) =>
		joined(
			said`Key reset: ${name} (${id}). The old key and all sessions have ended.`,
			said`api key: ${apiKey}`,
		),
	hide: ({ kind, id, agentName, agentId }) =>
		said`Hidden: ${kind} ${id} of ${agentName} (${agentId}).`,
	show: ({ kind, id, agentName, agentId, isArchived }) =>
		joined(
			said`Shown again: ${kind} ${id} of ${agentName} (${agentId}).`,
			isArchived === true
				? "Nobody finds it all the same: its creator has archived it.\n"
				: "",
		),
	rename: ({ name, formerName, id }) =>
		said`Renamed: ${formerName} is now ${name} (${id}).`,
	erase: ({ id, formerName, wasErased }) =>
		wasErased === true
			? said`Erased again: ${id}.`
			: said`Erased: ${formerName} (${id}).`,
	invite: ({ code, invite }) => {
		const { label, uses, expiresAt } = fieldsOf(invite);
		return joined(
			said`code: ${code}`,
			said`Lets ${counted(uses, "agent")} in until ${readableTime(expiresAt)} UTC. "resort admin revoke-invite ${label}" ends it, by the code's first word.`,
		);
	},
	revokeInvite: ({ invite }) => {
		const { label, uses, used } = fieldsOf(invite);
		return said`Revoked: the invitation ${label}, used ${used} of ${uses}.`;
	},
} as const satisfies Record<string, Sentence>;

/**
 * A warning when codes are not asked for.
 * @param isServed whether the answer is that of a running instance
 */
export function warnOfRegistration(
	{ registration }: Fields,
	isServed: boolean,
): string {
	const consequence = {
		open: "nobody needs a code",
		closed: "nobody comes in, not even with a code",
	}[String(registration)];
	if (consequence === undefined) return "";
	const source = isServed
		? ""
		: " by the settings of this command, which reached no instance";
	return `registration is ${registration}${source}: ${consequence}\n`;
}

/** @returns null when a sentence is missing */
function joined(...parts: readonly (string | null)[]): string | null {
	return parts.includes(null) ? null : parts.join("");
}
