import { ResortError } from "../lib/resort-error.ts";
import type { Agent } from "../resort/agents/service.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { anyAgent, lockedAnyAgent } from "./queries.ts";

/**
 * Returns an agent, even a deactivated one.
 * @throws ResortError `not_found`
 */
export function* getAnyAgent(
	store: Store,
	id: string,
	query = anyAgent,
): Task<Agent> {
	const agent = yield* query(store).get({ id: id.toLowerCase() });
	if (agent !== undefined) return agent;
	throw new ResortError("not_found", "Agent not found", {
		hint: "resort admin agents lists the ids.",
	});
}

/** Like {@link getAnyAgent}, but also locks the agent and all its data until the end of the transaction. */
export function lockAgent(store: Store, id: string): Task<Agent> {
	return getAnyAgent(store, id, lockedAnyAgent);
}
