import { createCache } from "../lib/bounded-cache.ts";
import { copyOf } from "../lib/text.ts";
import { EXTERNAL_CHANGE, type Store } from "./store.ts";
import type { Task } from "./task.ts";

/** The maximum number of rows that a lookup caches. They use about 20 MB. */
const MAX_ROWS = 50_000;

/** The types of events that invalidate cached rows. */
export interface Invalidation {
	/** The types that invalidate all rows. */
	readonly all: readonly string[];
	/** The type that invalidates only the row whose key is the id of the event's agent. */
	readonly one?: string;
}

/**
 * Caches the rows of a lookup until an event invalidates them. Missing rows are not cached. Call
 * `checkFreshness` of the store before a lookup (see docs/architecture.md). On SQLite, transactions that
 * write may use the cache too, because no other program can write at the same time. On a database server,
 * they must query the store instead.
 * @param find queries the store for the row with a key. Keys may contain only Latin-1 characters
 */
export function cachedLookup<Found extends object>(
	invalidatedBy: Invalidation,
	find: (store: Store, key: string) => Task<Found | undefined>,
): (store: Store, key: string) => Task<Found | undefined> {
	const openCache = (store: Store) => {
		const cache = { rows: createCache<Found>(MAX_ROWS), invalidations: 0 };
		store.subscribe(({ type, agentId }) => {
			if (type === EXTERNAL_CHANGE.type || invalidatedBy.all.includes(type)) {
				cache.invalidations++;
				cache.rows = createCache(MAX_ROWS);
			} else if (type === invalidatedBy.one && agentId !== null) {
				cache.invalidations++;
				cache.rows.delete(agentId);
			}
		});
		return cache;
	};
	const caches = new WeakMap<Store, ReturnType<typeof openCache>>();
	return function* (store, key) {
		const cache = caches.getOrInsertComputed(store, openCache);
		const row = cache.rows.get(key);
		if (row !== undefined) return row;
		const before = cache.invalidations;
		const found = yield* find(store, key);
		// An event may have invalidated rows while the query ran. The row may then be outdated, so it is not
		// cached.
		if (found !== undefined && cache.invalidations === before) {
			cache.rows.set(copyOf(key), found);
		}
		return found;
	};
}
