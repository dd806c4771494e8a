import type { Topic } from "./changes.ts";
import { onceEach, type Store } from "./store.ts";

/** How many rows one look-up remembers: some 20 MB of them. */
export const MAX_ROWS = 50_000;

/**
 * A look-up whose finds are remembered until a change may have altered them. What is not there is looked for
 * anew each time. What another program alters is seen from the next millisecond on.
 * @param topic of the changes that alter what is found
 * @param find looks for it in the database
 */
export function remembered<Found extends object>(
	topic: Topic,
	find: (store: Store, key: string) => Found | undefined,
): (store: Store, key: string) => Found | undefined {
	const known = onceEach(() => ({
		version: 0,
		rows: new Map<string, Found>(),
	}));
	return (store, key) => {
		const { writer } = store;
		writer.lookElsewhere();
		const memory = known(store);
		const version = writer.changes.version(topic);
		if (memory.version !== version) {
			memory.version = version;
			memory.rows.clear();
		}
		const { rows } = memory;
		let found = rows.get(key);
		if (found === undefined) {
			found = find(store, key);
			if (found === undefined) return undefined;
			for (const oldest of rows.keys()) {
				if (rows.size < MAX_ROWS) break;
				rows.delete(oldest);
			}
			rows.set(key, found);
		}
		return found;
	};
}
