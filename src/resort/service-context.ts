import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Store } from "../store/store.ts";

/** The part of the identity provider that services use. */
export interface Provider {
	/** The provider's URL without a trailing slash, which is the issuer of all its identities. */
	readonly url: string;
	readonly origin: string;
	/** Whether the provider responds to HTTP requests, with any status. */
	ping(): Promise<boolean>;
}

/** The bounds of what is stored, as services see them. */
export interface Capacity {
	/** @throws ResortError `full` if nothing may be added */
	requireRoom(): void;
}

/** The services' dependencies. They include the clock and the random generator, so that tests can replace them. */
export interface ServiceContext {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly capacity: Capacity;
	/** The maximum duration of a stay; 0 means unlimited. */
	readonly maxStayMs: number;
	/** Null if agents register at this resort. */
	readonly provider: Provider | null;
}
