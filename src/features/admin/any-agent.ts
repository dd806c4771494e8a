import { ResortError } from "../../core/lib/resort-error.ts";
import type { Agent } from "../../core/resort/agents/service.ts";
import type { Store } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { anyAgent, lockedAnyAgent } from "./queries.ts";

/** Returns an agent by its id, ignoring case, even if it is deactivated. @throws ResortError `not_found` */
export function* getAnyAgent(store: Store, id: string, query = anyAgent): Task<Agent> {
	const agent = yield* query(store).get({ id: id.toLowerCase() });
	if (agent !== undefined) return agent;
	throw new ResortError("not_found", "Agent not found", { hint: "resort admin agents lists the ids." });
}

/**
 * Returns the same as {@link getAnyAgent}, and locks the agent's row until the end of the transaction. Calls
 * by the agent wait for this lock before they write.
 */
export function lockAgent(store: Store, id: string): Task<Agent> {
	return getAnyAgent(store, id, lockedAnyAgent);
}
