import { type Clock, MINUTE_MS } from "../lib/clock.ts";
import { inWords } from "../lib/duration.ts";
import { networkLimits } from "../lib/network-limits.ts";
import { mapValues } from "../lib/record.ts";
import { ResortError } from "../lib/resort-error.ts";
import { type KeyLimit, SlidingWindow, type Verdict, type Window } from "../lib/sliding-window.ts";
import type { Caller } from "../resort/caller.ts";
import { DEEP_OFFSET, type LimitName, limits, limitsOfAdditions } from "../resort/limits.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./call.ts";

/**
 * The maximum number of keys (addresses or agents) that each limit stores. If all limits are full, those by
 * address use 80 MB of memory together, and those by agent 200 MB.
 */
const MAX_KEYS = { address: 70_000, agent: 200_000 } as const;

/** The result of counting a call towards a limit. */
export interface CountedCall extends Verdict {
	readonly name: LimitName;
	/** The number of calls that the limit allows in its window. */
	readonly limit: number;
	/** The keys under which the call was counted. */
	readonly keys: readonly KeyLimit[];
}

/** Counts calls by the rate limits of their operations. */
export class RateLimits {
	readonly windows: Readonly<Record<LimitName, Window>>;
	/** The number of refused calls, by limit. */
	readonly refused: Record<LimitName, number> = mapValues(limits, () => 0);

	/** @param factor multiplies all limits; 0 disables them */
	constructor(
		private readonly clock: Clock,
		private readonly factor: number,
		createWindow: Store["createWindow"],
	) {
		this.windows = mapValues(
			limits,
			({ windowMs, key }, name) =>
				createWindow?.(name, windowMs) ?? new SlidingWindow(windowMs, MAX_KEYS[key]),
		);
	}

	/**
	 * Counts a call towards the limit of its operation; towards the limit `deep-page` if the query has a large
	 * `offset`. Returns null if there is no limit.
	 */
	count(call: Call, caller: Caller | null): Promise<CountedCall | null> {
		const isDeep = Number(call.query.offset) > DEEP_OFFSET;
		const name = isDeep ? "deep-page" : call.operation.limit;
		return this.#count(name, call, caller);
	}

	/**
	 * Counts a call that adds rows towards the separate limit for such calls. Returns null if its operation has
	 * no such limit.
	 */
	countAddition(call: Call, caller: Caller | null): Promise<CountedCall | null> {
		const { limit } = call.operation;
		return this.#count(limit && limitsOfAdditions[limit], call, caller);
	}

	async #count(name: LimitName | undefined, call: Call, caller: Caller | null): Promise<CountedCall | null> {
		if (name === undefined || this.factor === 0) return null;
		const { key } = limits[name];
		const limit = Math.max(1, Math.round(limits[name].limit * this.factor));
		const keys =
			key === "address"
				? networkLimits(call.address(), limit)
				: [{ key: caller?.agent.id ?? call.address(), limit }];
		const verdict = await this.windows[name].admit(keys, this.clock());
		if (!verdict.admitted) this.refused[name]++;
		return { ...verdict, name, limit, keys };
	}

	/** Undoes the counting of a call. Returns the new state of its limit. */
	async refund(counted: CountedCall): Promise<CountedCall> {
		const { name, keys, remaining } = counted;
		await this.windows[name].refund(keys, this.clock());
		return { ...counted, remaining: remaining + 1 };
	}

	/** Resets all limits. */
	async clear(): Promise<void> {
		for (const window of Object.values(this.windows)) await window.clear();
	}
}

/**
 * Refuses a call that was not admitted by its limit.
 * @throws ResortError `rate_limited`
 */
export function requireAdmitted(counted: CountedCall | null): void {
	if (counted === null || counted.admitted) return;
	const { name, limit, resetSeconds } = counted;
	const { windowMs, key } = limits[name];
	throw new ResortError("rate_limited", "Rate limit exceeded", {
		hint: `Wait ${resetSeconds} ${resetSeconds === 1 ? "second" : "seconds"}, then repeat the call. The ${name} limit allows ${limit} in ${windowMs < MINUTE_MS ? "1 second" : inWords(windowMs)} per ${key}.`,
		retryAfterSeconds: resetSeconds,
	});
}
