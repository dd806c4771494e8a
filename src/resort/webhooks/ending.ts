import type { Store } from "../../store/store.ts";
import type { Task } from "../../store/task.ts";
import { giveUpAllOf } from "./deliveries/queries.ts";
import { endWebhooksOf } from "./queries.ts";

/** Ends the webhooks of an agent that leaves, inside the change: nothing more is sent to them. */
export function* endWebhooks(store: Store, agentId: string): Task<void> {
	yield* endWebhooksOf(store).run({ agentId });
	yield* giveUpAllOf(store).run({ agentId });
}
