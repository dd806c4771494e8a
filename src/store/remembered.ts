import { BoundedMap } from "../lib/bounded-map.ts";
import { copyOf } from "../lib/text.ts";
import { ELSEWHERE, type Store } from "./store.ts";

/** How many rows one look-up remembers: some 20 MB of them. */
export const MAX_ROWS = 50_000;

/**
 * A look-up whose finds are remembered until news says that they may have changed. What is not found is looked for
 * again each time. What another program writes is seen from the next millisecond on.
 * @param endedBy the types of news that end all that is remembered
 * @param find looks for it in the store by a key in Latin-1
 */
export function remembered<Found extends object>(
	endedBy: readonly string[],
	find: (store: Store, key: string) => Found | undefined,
): (store: Store, key: string) => Found | undefined {
	const memories = new WeakMap<Store, BoundedMap<Found>>();
	const remember = (store: Store) => {
		const rows = new BoundedMap<Found>(MAX_ROWS);
		store.listen(({ type }) => {
			if (type === ELSEWHERE.type || endedBy.includes(type)) rows.clear();
		});
		memories.set(store, rows);
		return rows;
	};
	return (store, key) => {
		store.lookElsewhere();
		const rows = memories.get(store) ?? remember(store);
		let found = rows.get(key);
		if (found === undefined) {
			found = find(store, key);
			if (found === undefined) return undefined;
			rows.set(copyOf(key), found);
		}
		return found;
	};
}
