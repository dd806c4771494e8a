import { SECOND_MS } from "../lib/clock.ts";
import type { Store } from "../store/store.ts";
import { deleteLease, leaseByName, takeLease } from "./queries.ts";

/** The durations of a lease. */
export interface LeaseTimes {
	/** The interval at which the holder renews it and others check it. */
	readonly everyMs: number;
	/** How long it is valid for its holder after a renewal. */
	readonly heldMs: number;
	/** How long it must be unchanged before another instance takes it over; more than `heldMs`. */
	readonly staleMs: number;
}

const defaultTimes: LeaseTimes = {
	everyMs: 3 * SECOND_MS,
	heldMs: 9 * SECOND_MS,
	staleMs: 12 * SECOND_MS,
};

/**
 * Elects the instance that does a task for all instances of a database. The holder increments a counter; another
 * instance takes the lease over when the counter has not changed for a while. Instances measure durations with their
 * own clocks and compare no times.
 */
export class Lease {
	readonly #holder = crypto.randomUUID();
	#heldUntilMs = 0;
	#checkedAtMs = Number.NEGATIVE_INFINITY;
	/** The counter of another holder, and since when it has not changed. */
	#seen: { readonly renewals: number; readonly sinceMs: number } | null = null;

	constructor(
		private readonly store: Store,
		private readonly name: string,
		readonly times: LeaseTimes = defaultTimes,
	) {}

	/** Whether this instance holds the lease. */
	get isHeld(): boolean {
		return performance.now() < this.#heldUntilMs;
	}

	/**
	 * Renews the lease, or takes it over if it is free, at most once every `everyMs`.
	 * @throws ResortError `unavailable`; the lease then expires
	 */
	async renew(): Promise<void> {
		const startMs = performance.now();
		if (startMs - this.#checkedAtMs < this.times.everyMs) return;
		this.#checkedAtMs = startMs;
		const { store, name } = this;
		const lease = await store.read(() => leaseByName(store).get({ name }));
		if (lease !== undefined && lease.holder !== this.#holder) {
			if (this.#seen?.renewals !== lease.renewals) {
				this.#seen = { renewals: lease.renewals, sinceMs: startMs };
			}
			if (startMs - this.#seen.sinceMs < this.times.staleMs) return;
		}
		const seen = lease?.renewals ?? null;
		const values = { name, holder: this.#holder, renewals: 0, seen };
		const taken = await store.write(() => takeLease(store).get(values));
		this.#seen = null;
		if (taken !== undefined) this.#heldUntilMs = startMs + this.times.heldMs;
	}

	/** Deletes the lease if it is held: another instance then takes it at its next check. */
	async release(): Promise<void> {
		if (!this.isHeld) return;
		this.#heldUntilMs = 0;
		const { store, name } = this;
		const values = { name, holder: this.#holder };
		// If this fails, the lease expires.
		await store.write(() => deleteLease(store).run(values)).catch(() => {});
	}
}
