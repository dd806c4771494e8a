import { CREDENTIALS_ENDED } from "../resort/agents/known.ts";
import { afterCommit } from "../store/after-commit.ts";
import {
	EXTERNAL_CHANGE,
	type Store,
	type StoreEvent,
} from "../store/store.ts";

const ending: ReadonlySet<string> = new Set([
	...CREDENTIALS_ENDED,
	EXTERNAL_CHANGE.type,
]);

/** Tells those who wait with a credential that it may have ended. */
export class Endings {
	readonly #watching = new Map<string, Set<() => void>>();

	constructor(store: Store) {
		store.subscribe((news) => this.#hear(news));
	}

	/**
	 * Watches the credentials of an agent.
	 * @param check is called when one of them may have ended
	 * @returns ends the watching
	 */
	watch(agentId: string, check: () => void): () => void {
		const watching = this.#watching.get(agentId) ?? new Set();
		this.#watching.set(agentId, watching.add(check));
		return () => {
			watching.delete(check);
			if (watching.size === 0) this.#watching.delete(agentId);
		};
	}

	#hear({ type, agentId }: StoreEvent): void {
		if (this.#watching.size === 0 || !ending.has(type)) return;
		const concerned =
			agentId === null
				? [...this.#watching.values()]
				: [this.#watching.get(agentId) ?? []];
		afterCommit(() => {
			for (const check of concerned.flatMap((checks) => [...checks])) check();
		});
	}
}
