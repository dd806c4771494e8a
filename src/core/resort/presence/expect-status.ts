import { SECOND_MS } from "../../lib/clock.ts";
import type { ReplyDetails } from "../reply.ts";
import type { AgentStatus, StatusQuery } from "./model.ts";

/** The maximum of `Retry-After`. Also its value if no agent is known to change its status by itself. */
const MAX_RETRY_SECONDS = 60;

/**
 * Returns the status and the expiry of the reply with these statuses: 409, which programs understand that
 * read nothing else, if an agent does not have the expected status.
 * @param unknown the unknown ids, which do not have it either
 */
export function checkExpected(
	{ expect }: StatusQuery,
	statuses: readonly AgentStatus[],
	unknown: readonly string[],
	nowMs: number,
): ReplyDetails & { readonly untilMs: number } {
	const others = statuses.filter(({ status }) => status !== expect);
	if (expect === undefined || others.length + unknown.length === 0) {
		return { untilMs: Number.POSITIVE_INFINITY };
	}
	const ends = others.flatMap(({ stay }) => (stay?.endsBy ? Date.parse(stay.endsBy) : []));
	const endMs = Math.min(...ends);
	const seconds = Math.max(1, Math.min(Math.ceil((endMs - nowMs) / SECOND_MS), MAX_RETRY_SECONDS));
	return {
		status: 409,
		headers: { "retry-after": String(seconds) },
		// A cached reply expires when one second less is left.
		untilMs: endMs - (seconds - 1) * SECOND_MS,
	};
}
