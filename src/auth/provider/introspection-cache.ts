import { BoundedCache } from "../../lib/bounded-cache.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import type {
	Identity,
	IntrospectionResult,
} from "./introspection-response.ts";

/** How long a result is used without asking the provider again. */
const ACCEPTED_MS = MINUTE_MS;
const REFUSED_MS = 10 * SECOND_MS;
/** How long an accepted key is used while the provider is unavailable. */
const STALE_MS = 5 * MINUTE_MS;

/** The most cached results of each kind. */
const MAX_RESULTS = 50_000;

/** A cached accepted key; all times in milliseconds since the epoch. */
export interface AcceptedKey {
	readonly outcome: "accepted";
	readonly identity: Identity;
	readonly sinceMs: number;
	/** Until when it is used without asking again, and until when at all; both exclusive. */
	readonly freshUntilMs: number;
	readonly untilMs: number;
	/** When to ask again after the provider was unavailable; null if it was not. */
	askAgainMs: number | null;
}

/** A cached refused key. */
export interface RefusedKey {
	readonly outcome: "refused";
	readonly sinceMs: number;
	readonly untilMs: number;
}

/**
 * Caches the newest result for each key, by the key's SHA-256. Accepted and refused keys have caches of their own, so
 * that invented keys evict no valid one. A result is dropped if the clock was set back before its time.
 */
export class IntrospectionCache {
	readonly #accepted = new BoundedCache<AcceptedKey>({
		maxEntries: MAX_RESULTS,
	});
	readonly #refused = new BoundedCache<RefusedKey>({ maxEntries: MAX_RESULTS });

	/** The number of cached results: at most 100,000. */
	get size(): number {
		return this.#accepted.size + this.#refused.size;
	}

	/** Returns the result for a key if it may still be used. */
	get(hash: string, nowMs: number): AcceptedKey | RefusedKey | undefined {
		const result = this.#accepted.get(hash) ?? this.#refused.get(hash);
		if (result === undefined) return undefined;
		if (nowMs >= result.sinceMs && nowMs < result.untilMs) return result;
		this.#delete(hash);
		return undefined;
	}

	/** Stores a result in place of the previous one. */
	set(
		hash: string,
		result: IntrospectionResult,
		nowMs: number,
	): AcceptedKey | RefusedKey {
		this.#delete(hash);
		if (result.outcome === "refused") {
			const refused = {
				...result,
				...{ sinceMs: nowMs, untilMs: nowMs + REFUSED_MS },
			};
			this.#refused.set(hash, refused);
			return refused;
		}
		const { outcome, identity, expiresMs } = result;
		const accepted: AcceptedKey = {
			outcome,
			identity,
			sinceMs: nowMs,
			freshUntilMs: Math.min(nowMs + ACCEPTED_MS, expiresMs),
			untilMs: Math.min(nowMs + STALE_MS, expiresMs),
			askAgainMs: null,
		};
		this.#accepted.set(hash, accepted);
		return accepted;
	}

	#delete(hash: string): void {
		this.#accepted.delete(hash);
		this.#refused.delete(hash);
	}
}
