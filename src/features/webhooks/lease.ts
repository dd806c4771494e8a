import { SECOND_MS } from "../../core/lib/clock.ts";
import type { Store } from "../../core/store/store.ts";
import { deleteLease, leaseByName, takeLease } from "./queries.ts";

/** The interval at which the holder renews the lease and other instances check it. */
const EVERY_MS = 3 * SECOND_MS;

/** The number of intervals for which a renewed lease is valid for its holder. */
const HELD_INTERVALS = 3;

/** The number of intervals without a renewal after which another instance takes the lease over. */
const STALE_INTERVALS = 4;

/**
 * Elects one of the instances that share a database: the holder. It increments a counter regularly. If the
 * counter stops, another instance takes over. Only durations are measured, so clocks need not agree.
 */
export class Lease {
	readonly #holder = crypto.randomUUID();
	#heldUntilMs = 0;
	#checkedAtMs = Number.NEGATIVE_INFINITY;
	/** The last seen counter of another holder, and the time since which the counter has been unchanged. */
	#seen: { readonly renewals: number; readonly sinceMs: number } | null = null;

	constructor(
		private readonly store: Store,
		private readonly name: string,
		readonly everyMs = EVERY_MS,
	) {}

	get isHeld(): boolean {
		return performance.now() < this.#heldUntilMs;
	}

	/**
	 * Renews the lease, or takes it over if free. Does nothing if it was checked less than `everyMs` ago.
	 * @throws ResortError `unavailable`; the lease then expires
	 */
	async renew(): Promise<void> {
		const startMs = performance.now();
		if (startMs - this.#checkedAtMs < this.everyMs) return;
		this.#checkedAtMs = startMs;
		const { store, name } = this;
		const lease = await store.read(() => leaseByName(store).get({ name }));
		if (lease !== undefined && lease.holder !== this.#holder) {
			if (this.#seen?.renewals !== lease.renewals) {
				this.#seen = { renewals: lease.renewals, sinceMs: startMs };
			}
			const unchangedMs = startMs - this.#seen.sinceMs;
			if (unchangedMs < STALE_INTERVALS * this.everyMs) return;
		}
		const seen = lease?.renewals ?? null;
		const values = { name, holder: this.#holder, renewals: 0, seen };
		const taken = await store.write(() => takeLease(store).get(values));
		this.#seen = null;
		if (taken === undefined) return;
		this.#heldUntilMs = startMs + HELD_INTERVALS * this.everyMs;
	}

	/** Deletes the lease if this instance holds it. Another instance then takes it over at its next check. */
	async release(): Promise<void> {
		if (!this.isHeld) return;
		this.#heldUntilMs = 0;
		const { store, name } = this;
		const values = { name, holder: this.#holder };
		// If the deletion fails, the lease expires by itself.
		await store.write(() => deleteLease(store).run(values)).catch(() => {});
	}
}
