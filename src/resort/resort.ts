import type { IdentityProvider } from "../access/provider/mode.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Store } from "../store/store.ts";

/** What every service works with; time and chance are part of it, so that tests decide them. */
export interface Resort {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	/** After how long a stay is closed by itself; 0 is never. */
	readonly maxStayMs: number;
	/** Where agents come from; null when they register here (decisions 7). */
	readonly identity: IdentityProvider | null;
}
