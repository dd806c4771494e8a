import { BoundedCache } from "../lib/bounded-cache.ts";
import { copyOf } from "../lib/text.ts";
import { EXTERNAL_CHANGE, type Store } from "./store.ts";
import { type QueryResult, resolved } from "./task.ts";

/** How many rows one look-up remembers: some 20 MB of them. */
export const MAX_ROWS = 50_000;

/** The types of news that end what a look-up remembers. */
export interface Invalidation {
	/** Those that end all of it. */
	readonly all: readonly string[];
	/** Those that end what is remembered of the agent that they are about, where its id is the key. */
	readonly one?: string;
}

/**
 * A look-up whose finds are remembered until news says that they may have changed. What is not found is looked for
 * again each time. It is for callers whose request has looked at the news; a change asks the store itself.
 * @param find looks for it in the store by a key in Latin-1
 */
export function cachedLookup<Found extends object>(
	endings: Invalidation,
	find: (store: Store, key: string) => QueryResult<Found | undefined>,
): (store: Store, key: string) => QueryResult<Found | undefined> {
	const memories = new WeakMap<Store, Memory<Found>>();
	const remember = (store: Store) => {
		const memory = {
			rows: new BoundedCache<Found>({ maxEntries: MAX_ROWS }),
			endings: 0,
		};
		store.subscribe(({ type, agentId }) => {
			if (type === EXTERNAL_CHANGE.type || endings.all.includes(type)) {
				memory.endings++;
				memory.rows.clear();
			} else if (type === endings.one && agentId !== null) {
				memory.endings++;
				memory.rows.delete(agentId);
			}
		});
		memories.set(store, memory);
		return memory;
	};
	function* lookUp(store: Store, key: string, memory: Memory<Found>) {
		const before = memory.endings;
		const found = yield* find(store, key);
		// News that came while it was looked for may have changed it.
		if (found !== undefined && memory.endings === before) {
			memory.rows.set(copyOf(key), found);
		}
		return found;
	}
	return (store, key) => {
		const memory = memories.get(store) ?? remember(store);
		const known = memory.rows.get(key);
		return known === undefined ? lookUp(store, key, memory) : resolved(known);
	};
}

interface Memory<Found extends object> {
	readonly rows: BoundedCache<Found>;
	/** How often news has ended something. */
	endings: number;
}
