import { networksOf } from "../lib/ip-address.ts";
import {
	SlidingWindow,
	type Verdict,
	type Window,
} from "../lib/sliding-window.ts";
import type { CountedKey } from "../store/store.ts";

/** How many times the limit of one address an IPv6 network has, by the length of its prefix. */
const FACTORS = { 56: 4, 48: 10 } as const;

/** The keys by which a request of an address is counted where instances count together; see {@link AddressWindow}. */
export function keysOfAddress(key: string, limit: number): CountedKey[] {
	const networks = networksOf(key);
	const own = { key, limit };
	if (networks === null) return [own];
	return [
		own,
		{ key: networks[56], limit: limit * FACTORS[56] },
		{ key: networks[48], limit: limit * FACTORS[48] },
	];
}

/** A window, and the key by which it counts a request. */
type Part = readonly [window: SlidingWindow, key: string];

/**
 * A sliding window by the keys of `clientKey`. An IPv6 request counts for its /64, /56 and /48, because
 * providers give one customer up to a /48 (RFC 6177): a /56 gets 4 times the limit, a /48 10 times. All three
 * are judged before any of them counts it, so that a refused request counts nowhere.
 */
export class AddressWindow implements Window {
	readonly #address: SlidingWindow;
	readonly #networks: Readonly<Record<keyof typeof FACTORS, SlidingWindow>>;
	#refused = 0;

	constructor(
		readonly limit: number,
		readonly windowMs: number,
		maxKeys: number,
	) {
		// Fewer keys, each with more times, take the same memory.
		const forNetworks = (factor: number) =>
			new SlidingWindow(limit * factor, windowMs, Math.ceil(maxKeys / factor));
		this.#address = new SlidingWindow(limit, windowMs, maxKeys);
		this.#networks = {
			56: forNetworks(FACTORS[56]),
			48: forNetworks(FACTORS[48]),
		};
	}

	/** How many keys of single addresses are remembered. */
	get size(): number {
		return this.#address.size;
	}

	get refused(): number {
		return this.#refused;
	}

	/**
	 * Judges a request, and counts it when all of its windows admit it. `remaining` is that of the window
	 * with the least room; a refusal's `resetSeconds` are over when all windows would admit one more.
	 */
	admit(key: string, nowMs: number): Verdict {
		const parts = this.#partsOf(key);
		const refusals = parts
			.map(([window, part]) => window.judge(part, nowMs))
			.filter(({ admitted }) => !admitted);
		if (refusals.length > 0) {
			this.#refused++;
			return refusals.reduce(laterReset);
		}
		return parts
			.map(([window, part]) => window.admit(part, nowMs))
			.reduce(lessRoom);
	}

	refund(key: string, nowMs: number): void {
		for (const [window, part] of this.#partsOf(key)) {
			window.refund(part, nowMs);
		}
	}

	clear(): void {
		this.#address.clear();
		this.#networks[56].clear();
		this.#networks[48].clear();
	}

	#partsOf(key: string): readonly Part[] {
		const own: Part = [this.#address, key];
		const networks = networksOf(key);
		if (networks === null) return [own];
		return [
			own,
			[this.#networks[56], networks[56]],
			[this.#networks[48], networks[48]],
		];
	}
}

function laterReset(one: Verdict, other: Verdict): Verdict {
	return other.resetSeconds > one.resetSeconds ? other : one;
}

function lessRoom(one: Verdict, other: Verdict): Verdict {
	if (other.remaining === one.remaining) return laterReset(one, other);
	return other.remaining < one.remaining ? other : one;
}
