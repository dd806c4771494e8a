import { type Filter, isPublic } from "../events/filter.ts";

/** What decides which events a webhook hears of. */
export interface Subscription {
	/** Whose it is. */
	readonly agentId: string;
	/** Null for all. */
	readonly types: readonly string[] | null;
	/** Null for everybody. */
	readonly agentIds: readonly string[] | null;
}

/** The events of a webhook: with agents, theirs that are public; without, all public ones and its owner's private ones. */
export function subscriptionFilter({
	agentId: owner,
	types,
	agentIds,
}: Subscription): Filter {
	const agents = agentIds && new Set(agentIds);
	return {
		types: types && new Set(types),
		fits: (event) =>
			agents === null
				? isPublic(event) || event.recipientId === owner
				: isPublic(event) && agents.has(event.agentId),
	};
}
