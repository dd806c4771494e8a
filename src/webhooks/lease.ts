import { SECOND_MS } from "../lib/clock.ts";
import type { Store } from "../store/store.ts";
import {
	deleteLease,
	insertLease,
	leaseByName,
	renewLease,
} from "./queries.ts";

/** When a lease is renewed, given up and taken over. */
export interface LeaseTimes {
	/** How often it is renewed, or looked at by those who do not hold it. */
	readonly everyMs: number;
	/** For how long it counts for its holder after it was renewed. */
	readonly heldMs: number;
	/** For how long another instance must not have seen it change to take it over; more than `heldMs`. */
	readonly staleMs: number;
}

const usualTimes: LeaseTimes = {
	everyMs: 3 * SECOND_MS,
	heldMs: 9 * SECOND_MS,
	staleMs: 12 * SECOND_MS,
};

/**
 * Work that one instance does for all that share a database. The holder counts the lease up again and again; another
 * instance takes it over when it has not seen that for a while. Each measures durations by its own clock, and no
 * clocks are compared.
 */
export class Lease {
	readonly #store: Store;
	readonly #name: string;
	readonly #times: LeaseTimes;
	readonly #id = crypto.randomUUID();
	#heldUntilMs = 0;
	/** How it was seen last by one who does not hold it, and when it was first seen so. */
	#seen: { readonly renewals: number; readonly sinceMs: number } | null = null;
	#timer: Timer | null = null;
	#stepping: Promise<void> = Promise.resolve();

	constructor(store: Store, name: string, times: LeaseTimes = usualTimes) {
		this.#store = store;
		this.#name = name;
		this.#times = times;
	}

	/** Whether this instance does the work just now. */
	get isHeld(): boolean {
		return performance.now() < this.#heldUntilMs;
	}

	/**
	 * Tries to take it, now and from now on.
	 * @param onStep is called after each try
	 */
	start(onStep: () => void): void {
		const step = () => {
			this.#stepping = this.#step()
				// The storage does not answer: it runs out by itself.
				.catch(() => {})
				.then(() => {
					onStep();
					this.#timer = setTimeout(step, this.#times.everyMs);
				});
		};
		step();
	}

	/** Gives it back, so that another instance takes it at its next try. */
	async stop(): Promise<void> {
		await this.#stepping;
		if (this.#timer !== null) clearTimeout(this.#timer);
		if (!this.isHeld) return;
		this.#heldUntilMs = 0;
		const store = this.#store;
		const values = { name: this.#name, holder: this.#id };
		const given = store.write(() => deleteLease(store).run(values));
		// Otherwise it runs out.
		await given.catch(() => {});
	}

	async #step(): Promise<void> {
		const store = this.#store;
		const startedMs = performance.now();
		const name = this.#name;
		const found = await store.read(() => leaseByName(store).get({ name }));
		const values = { name, holder: this.#id, renewals: found?.renewals ?? 0 };
		if (found !== undefined && found.holder !== this.#id) {
			if (!this.#isStale(found.renewals, startedMs)) return;
		}
		const taken = await store.write(function* () {
			return found === undefined
				? yield* insertLease(store).get(values)
				: yield* renewLease(store).get(values);
		});
		this.#seen = null;
		if (taken !== undefined) this.#heldUntilMs = startedMs + this.#times.heldMs;
	}

	/** Whether another instance's lease has not changed for long enough. */
	#isStale(renewals: number, nowMs: number): boolean {
		if (this.#seen?.renewals !== renewals) {
			this.#seen = { renewals, sinceMs: nowMs };
		}
		return nowMs - this.#seen.sinceMs >= this.#times.staleMs;
	}
}
