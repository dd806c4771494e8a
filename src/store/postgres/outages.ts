import type { Outage } from "../store.ts";

/**
 * Notices outages: one begins when an attempt to connect fails and no connection of its kind is open, and ends when
 * each kind has one again. The loss of a connection that is replaced at once is none.
 */
export class Outages {
	readonly #away = new Set<object>();
	readonly #listeners: ((outage: Outage) => void)[] = [];
	#sinceMs = 0;

	/** Whether there is one now. */
	get isOn(): boolean {
		return this.#away.size > 0;
	}

	listen(listener: (outage: Outage) => void): void {
		this.#listeners.push(listener);
	}

	/**
	 * @param kind stands for the connections of which none is open
	 * @param reason why none could be opened, in words
	 */
	begin(kind: object, reason: string): void {
		const isFirst = !this.isOn;
		this.#away.add(kind);
		if (!isFirst) return;
		this.#sinceMs = performance.now();
		this.#tell({ isOver: false, reason });
	}

	/** @param kind stands for the connections of which one is open */
	end(kind: object): void {
		if (!this.#away.delete(kind) || this.isOn) return;
		this.#tell({ isOver: true, lastedMs: performance.now() - this.#sinceMs });
	}

	#tell(outage: Outage): void {
		for (const listener of this.#listeners) listener(outage);
	}
}
