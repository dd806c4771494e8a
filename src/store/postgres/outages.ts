import type { Outage } from "../store.ts";

/**
 * Detects outages. One begins when a pool without connections fails to open one, and ends when every pool has one
 * again. The loss of a connection that is replaced at once is no outage.
 */
export class Outages {
	readonly #pools = new Set<object>();
	readonly #listeners: ((outage: Outage) => void)[] = [];
	#sinceMs = 0;

	get isActive(): boolean {
		return this.#pools.size > 0;
	}

	/** Calls `listener` for every beginning and end from now on. */
	subscribe(listener: (outage: Outage) => void): void {
		this.#listeners.push(listener);
	}

	/** @param pool has no connection */
	begin(pool: object, reason: string): void {
		const isFirst = !this.isActive;
		this.#pools.add(pool);
		if (!isFirst) return;
		this.#sinceMs = performance.now();
		this.#publish({ isOver: false, reason });
	}

	/** @param pool has a connection */
	end(pool: object): void {
		if (!this.#pools.delete(pool) || this.isActive) return;
		const lastedMs = performance.now() - this.#sinceMs;
		this.#publish({ isOver: true, lastedMs });
	}

	#publish(outage: Outage): void {
		for (const listener of this.#listeners) listener(outage);
	}
}
