import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Store } from "../store/store.ts";

/** The identity provider behind which a resort stands, as far as its rules know it. */
export interface Provider {
	/** Its address without a slash at its end; the issuer of every identity. */
	readonly url: string;
	/** The address without its path. */
	readonly origin: string;
	/** Whether it gives any HTTP answer at all. */
	ping(): Promise<boolean>;
}

/** What every rule works with; time and randomness are part of it, so that tests decide them. */
export interface ServiceContext {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	/** After how long the resort ends a stay; 0 is never. */
	readonly maxStayMs: number;
	/** Where agents come from; null when they register here. */
	readonly provider: Provider | null;
}
