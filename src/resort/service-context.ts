import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Store } from "../store/store.ts";

/** The identity provider, as services see it. */
export interface Provider {
	/** Its URL without a slash at its end; the issuer of every identity. */
	readonly url: string;
	readonly origin: string;
	/** Whether it answers HTTP requests, with any status. */
	ping(): Promise<boolean>;
}

/** What services work with. Time and randomness are part of it, so that tests can set them. */
export interface ServiceContext {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	/** The longest stay; 0 for no limit. */
	readonly maxStayMs: number;
	/** Null if agents register here. */
	readonly provider: Provider | null;
}
