import type { Clock } from "../lib/clock.ts";
import type { Hint } from "../lib/hint.ts";
import type { Random } from "../lib/random.ts";
import type { SpaceBound } from "../store/space.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";

/** The part of the identity provider that services use. */
export interface Provider {
	/** The provider's URL without a trailing slash, which is the issuer of all its identities. */
	readonly url: string;
	readonly origin: string;
	/** Whether the provider responds to an HTTP request. Any status counts as a response. */
	ping(): Promise<boolean>;
}

/** Who may register: everybody, agents with an invitation, or nobody. */
export type Registration = "open" | "invite" | "closed";

/** What has ended together with an agent's key. `hint` is null if nothing has ended. */
export interface EndedDependents {
	readonly count: number;
	readonly hint: Hint | null;
}

/** The dependencies of services. They include the clock and the random generator, which tests can replace. */
export interface ServiceContext {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	/** `full` is the limit that has been reached; null while rows may be added. */
	readonly capacity: { readonly full: SpaceBound | null };
	/** The maximum duration of a new stay; 0 means unlimited. */
	readonly maxStayMs: number;
	/**
	 * Ends what depends on an agent's key, such as webhooks, which send data to a place that the key's holder
	 * chose. Call it inside the transaction that ends the key.
	 */
	endDependents(store: Store, agentId: string): Task<EndedDependents>;
	/** The identity provider; null if agents register at the resort itself. */
	readonly provider: Provider | null;
	/** Who may register at the resort itself. */
	readonly registration: Registration;
}
