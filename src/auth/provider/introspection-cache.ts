import { createCache } from "../../lib/bounded-cache.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import type {
	IntrospectionResponse,
	IntrospectionResult,
} from "./introspection-response.ts";

/** How long a result is used without another request, and how long while the provider is unavailable. */
const lifetimes = {
	accepted: { freshMs: MINUTE_MS, staleMs: 5 * MINUTE_MS },
	refused: { freshMs: 10 * SECOND_MS, staleMs: 10 * SECOND_MS },
};

/** The most cached results of each kind. */
const MAX_RESULTS = 50_000;

/** A cached result; all times in milliseconds since the epoch, both ends exclusive. */
export interface CachedResult {
	readonly result: IntrospectionResult;
	readonly sinceMs: number;
	readonly freshUntilMs: number;
	readonly untilMs: number;
	/** When to send the next request after the provider was unavailable; null if it was not. */
	retryAtMs: number | null;
}

/**
 * Caches the newest result for each key, by the key's SHA-256. Accepted and refused keys have caches of their own, so
 * that invented keys evict no valid one. A result is dropped if the clock was set back before its time.
 */
export class IntrospectionCache {
	readonly #results = {
		accepted: createCache<CachedResult>(MAX_RESULTS),
		refused: createCache<CachedResult>(MAX_RESULTS),
	};

	/** The number of cached results: at most 100,000. */
	get size(): number {
		return this.#results.accepted.size + this.#results.refused.size;
	}

	/** Returns the result for a key if it may still be used. */
	get(hash: string, nowMs: number): CachedResult | undefined {
		const { accepted, refused } = this.#results;
		const cached = accepted.get(hash) ?? refused.get(hash);
		if (cached === undefined) return undefined;
		if (nowMs >= cached.sinceMs && nowMs < cached.untilMs) return cached;
		this.#delete(hash);
		return undefined;
	}

	/** Stores a result in place of the previous one. */
	set(
		hash: string,
		{ result, expiresMs }: IntrospectionResponse,
		nowMs: number,
	): void {
		this.#delete(hash);
		const { freshMs, staleMs } = lifetimes[result.outcome];
		this.#results[result.outcome].set(hash, {
			result,
			sinceMs: nowMs,
			freshUntilMs: Math.min(nowMs + freshMs, expiresMs),
			untilMs: Math.min(nowMs + staleMs, expiresMs),
			retryAtMs: null,
		});
	}

	#delete(hash: string): void {
		this.#results.accepted.delete(hash);
		this.#results.refused.delete(hash);
	}
}
