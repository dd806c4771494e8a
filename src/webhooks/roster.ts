import type { Webhook } from "../resort/webhooks/deliveries/service.ts";
import { movePosition } from "../resort/webhooks/queries.ts";
import type { Store } from "../store/store.ts";
import type { Worker } from "./worker.ts";

/** How many positions are written in one change. */
const SAVED_AT_ONCE = 500;

/** The workers of an instance, by their webhooks. */
export class Roster {
	readonly #workers = new Map<string, Worker>();

	get all(): readonly Worker[] {
		return [...this.#workers.values()];
	}

	/**
	 * Lets the webhooks that were read have workers, and others none.
	 * @param isOne whether a worker's webhook should be among them
	 * @param make makes a worker
	 */
	take(
		rows: readonly Webhook[],
		isOne: (worker: Worker) => boolean,
		make: (row: Webhook) => Worker,
	): void {
		const ids = new Set(rows.map(({ id }) => id));
		for (const worker of this.all) {
			if (!worker.isEnded && (!isOne(worker) || ids.has(worker.id))) continue;
			worker.end();
			this.#workers.delete(worker.id);
		}
		for (const row of rows) {
			const worker = this.#workers.get(row.id) ?? make(row);
			this.#workers.set(row.id, worker);
			worker.changed();
		}
	}

	/** Ends those that fit. */
	end(isOne: (worker: Worker) => boolean = () => true): void {
		for (const worker of this.all) {
			if (isOne(worker)) worker.end();
		}
	}

	/** Lets all look whether there is something to send. */
	kick(): void {
		for (const worker of this.#workers.values()) worker.kick();
	}

	/** Writes down how far those have come that had nothing to send. */
	async save(store: Store): Promise<void> {
		const moved = this.all.filter(
			({ agenda }) => agenda.position !== agenda.storedPosition,
		);
		for (let from = 0; from < moved.length; from += SAVED_AT_ONCE) {
			const some = moved
				.slice(from, from + SAVED_AT_ONCE)
				.map(({ id, agenda }) => ({ id, agenda, position: agenda.position }));
			try {
				await store.write(function* () {
					for (const { id, position } of some) {
						yield* movePosition(store).run({ id, position });
					}
				});
			} catch {
				// The next time tries again; until then more events are looked at once more.
				return;
			}
			for (const { agenda, position } of some) agenda.storedPosition = position;
		}
	}
}
