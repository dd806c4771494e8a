import type { Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { abandonAll } from "./deliveries/queries.ts";
import { endWebhooksOfAgent, webhooksOfAgent } from "./queries.ts";

/** Ends the webhooks of an agent and abandons their deliveries, inside the change that deactivates it. */
export function* endWebhooks(store: Store, agentId: string): Task<void> {
	const webhooks = yield* webhooksOfAgent(store).all({ agentId });
	for (const { id } of webhooks) {
		yield* abandonAll(store).run({ webhookId: id });
	}
	yield* endWebhooksOfAgent(store).run({ agentId });
}
