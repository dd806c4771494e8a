import { type Filter, isPublic } from "../resort/events/event-filter.ts";
import type { Webhook } from "./model.ts";

/** Selects the events of a webhook: the public ones of its agents, or all public ones and its owner's private ones. */
export function webhookFilter({
	agentId: owner,
	types,
	agentIds,
}: Pick<Webhook, "agentId" | "types" | "agentIds">): Filter {
	const agents = agentIds && new Set(agentIds);
	return {
		types: types && new Set(types),
		fits: (event) =>
			agents === null
				? isPublic(event) || event.recipientId === owner
				: isPublic(event) && agents.has(event.agentId),
	};
}
