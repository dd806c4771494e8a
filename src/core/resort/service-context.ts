import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Store } from "../store/store.ts";

/** The part of the identity provider that services use. */
export interface Provider {
	/**
	 * The provider's URL without a trailing slash. This URL is the issuer of all identities of the provider.
	 */
	readonly url: string;
	readonly origin: string;
	/** Whether the provider responds to an HTTP request. Any status counts as a response. */
	ping(): Promise<boolean>;
}

/** Checks whether the resort accepts new data. */
export interface Capacity {
	/** @throws ResortError `full` if the resort accepts no new data */
	requireRoom(): void;
}

/**
 * The services' dependencies. They include the clock and the random generator, so that tests can replace
 * them.
 */
export interface ServiceContext {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly capacity: Capacity;
	/** The maximum duration of a stay; 0 means unlimited. */
	readonly maxStayMs: number;
	/** The identity provider; null if agents register at the resort itself. */
	readonly provider: Provider | null;
}
