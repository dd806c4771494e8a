import { CREDENTIALS_ENDED } from "../resort/agents/authenticated-agent.ts";
import type { Caller } from "../resort/caller.ts";
import { afterCommit, EXTERNAL_CHANGE, type Store, type StoreEvent } from "../store/store.ts";

const endingTypes: ReadonlySet<string> = new Set([...CREDENTIALS_ENDED, EXTERNAL_CHANGE.type]);

/** Notifies event streams and waiting calls when their credential may have expired or been revoked. */
export class CredentialWatch {
	readonly #listeners = new Map<string, Set<() => void>>();

	constructor(store: Store) {
		store.subscribe((event) => this.#notify(event));
	}

	/**
	 * Watches the credentials of the caller's agent.
	 * @param listener called when one of these credentials may have become invalid; never called if `caller` is
	 * null
	 * @returns a function that ends the watch
	 */
	watch(caller: Caller | null, listener: () => void): () => void {
		if (caller === null) return () => {};
		const agentId = caller.agent.id;
		const listeners = this.#listeners.get(agentId) ?? new Set();
		this.#listeners.set(agentId, listeners.add(listener));
		return () => {
			listeners.delete(listener);
			if (listeners.size === 0) this.#listeners.delete(agentId);
		};
	}

	#notify({ type, agentId }: StoreEvent): void {
		if (this.#listeners.size === 0 || !endingTypes.has(type)) return;
		const notified = agentId === null ? [...this.#listeners.values()] : [this.#listeners.get(agentId) ?? []];
		afterCommit(() => {
			for (const listener of notified.flatMap((all) => [...all])) listener();
		});
	}
}
