import { ResortError } from "../../lib/resort-error.ts";
import type { Store } from "../../store/store.ts";
import type { Task } from "../../store/task.ts";
import { forgetDeliveries } from "./deliveries/queries.ts";
import { countActive, deleteWebhook, webhooksOfAgent } from "./queries.ts";

/** The most webhooks of an agent that have not ended, and how many ended ones are kept beside them. */
const MAX_OF_AGENT = 5;
const ENDED_KEPT = 5;

/** The most active webhooks of a resort: each is remembered, and looks at each event. */
const MAX_ACTIVE = 10_000;

/** The time after which it may be asked again when there are too many. */
const RETRY_SECONDS = 3_600;

/** Forgets the oldest of an agent's webhooks that have ended. */
export function* forgetEnded(store: Store, agentId: string): Task<void> {
	const known = yield* webhooksOfAgent(store).all({ agentId });
	const ended = known.filter(({ state }) => state === "ended");
	for (const { id } of ended.slice(ENDED_KEPT)) yield* forgetWebhook(store, id);
}

/** @throws ResortError when an agent may have no more webhooks, or the resort has too many */
export function* requireRoom(store: Store, agentId: string): Task<void> {
	const known = yield* webhooksOfAgent(store).all({ agentId });
	const open = known.filter(({ state }) => state !== "ended");
	if (open.length >= MAX_OF_AGENT) {
		throw new ResortError(
			"invalid",
			`You have ${MAX_OF_AGENT} webhooks already`,
			{ hint: "GET /api/webhooks lists them; DELETE /api/webhooks/{id} one." },
		);
	}
	const active = (yield* countActive(store).get({}))?.count ?? 0;
	if (active < MAX_ACTIVE) return;
	throw new ResortError("unavailable", "Too many webhooks", {
		hint: "The resort has as many as it takes; GET /api/me/events tells the same.",
		retryAfterSeconds: RETRY_SECONDS,
	});
}

/** Forgets a webhook and all that is known of its deliveries. */
export function* forgetWebhook(store: Store, webhookId: string): Task<void> {
	yield* forgetDeliveries(store).run({ webhookId });
	yield* deleteWebhook(store).run({ id: webhookId });
}
