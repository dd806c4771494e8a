import { createCache } from "../../lib/bounded-cache.ts";
import { type Clock, MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import { sha256 } from "../../lib/credential.ts";
import { proxyFor } from "../../lib/direct-calls.ts";
import { FairLimiter, type SlotRequest } from "../../lib/fair-limiter.ts";
import { networkSlot } from "../../lib/network-limits.ts";
import { introspectionPassword } from "./derived-keys.ts";
import {
	isReachable,
	type Outage,
	type ProviderEndpoint,
	RETRY_SECONDS,
	requestIntrospection,
	TIMEOUT_MS,
} from "./introspection-client.ts";
import {
	type IntrospectionResponse,
	type IntrospectionResult,
	readIntrospection,
	withoutSlash,
} from "./introspection-response.ts";
import { UnknownKeys } from "./unknown-keys.ts";

/** The format of a central key: `ai_` and visible ASCII, 10 to 256 characters in total. */
const KEY_SHAPE = /^ai_[\x21-\x7e]{7,253}$/;

/** The maximum number of concurrent requests to the provider, in total and for each client address. */
const MAX_RUNNING = 100;
const MAX_RUNNING_OF_ADDRESS = 25;
/**
 * The maximum number of queued requests, in total and for each client address. `WAIT_MS` is their maximum
 * waiting time.
 */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_ADDRESS = 250;
const WAIT_MS = 3 * SECOND_MS;

/**
 * How long a result is used: `freshMs` without another request, `staleMs` while the provider is unavailable.
 */
const lifetimes = {
	accepted: { freshMs: MINUTE_MS, staleMs: 5 * MINUTE_MS },
	refused: { freshMs: 10 * SECOND_MS, staleMs: 10 * SECOND_MS },
};

/** The maximum number of cached results for accepted keys, and the same number for refused keys. */
const MAX_RESULTS = 50_000;

/**
 * A cached result. All times are in milliseconds since the epoch; the entry is valid from `sinceMs` on and
 * before `untilMs`.
 */
interface CachedResult {
	readonly result: IntrospectionResult;
	readonly sinceMs: number;
	readonly freshUntilMs: number;
	readonly untilMs: number;
	/** When to retry after an outage; null if the last request succeeded. */
	retryAtMs: number | null;
}

const unreadable: Outage = {
	reason: "not an introspection response",
	retryAfterSeconds: RETRY_SECONDS,
};
const overloaded: Outage = {
	reason: "too many requests",
	retryAfterSeconds: 1,
};

/** The result of checking a central key. */
export type Introspection =
	| IntrospectionResult
	| ({ readonly outcome: "unavailable" } & Outage)
	/** The network of the caller has sent too many unknown keys. */
	| { readonly outcome: "rate_limited"; readonly retryAfterSeconds: number };

/** The options of an introspector. */
export interface IntrospectorOptions {
	/** The URL of the provider, which is also its issuer. A trailing slash is ignored. */
	readonly url: string;
	/** The path of the introspection endpoint below the URL, with a leading slash. */
	readonly introspectionPath: string;
	/** The first value of `--identity-secret`. */
	readonly secret: string;
	/** Whether to limit the running requests, queued requests and unknown keys of each client network. */
	readonly rateLimits: boolean;
	readonly clock: Clock;
	/** Defaults to the runtime's `fetch`. */
	readonly fetch?: typeof fetch;
	/** The time limit for a complete response; 2 s by default. */
	readonly timeoutMs?: number;
}

/**
 * Checks central keys (`ai_…`) by introspection at the identity provider (RFC 7662), and caches the results.
 *
 * An accepted key is cached for 60 s and a refused one for 10 s, but not longer than `exp`. While the
 * provider is unavailable, an accepted key remains valid until 5 minutes after the last successful check.
 * After a failed request, the cached result is returned at once, and the request is repeated in the
 * background, at most every 5 s.
 *
 * Client networks take turns in the queue, so a flood of invalid keys from one network does not block the
 * others. After a network has sent 30 unknown keys in a minute, no further keys from this network are
 * checked, except keys whose acceptance is cached.
 */
export class Introspector {
	/**
	 * The results by the SHA-256 hash of the key. Refused keys have a separate cache, so that they cannot evict
	 * accepted ones.
	 */
	readonly #results = {
		accepted: createCache<CachedResult>(MAX_RESULTS),
		refused: createCache<CachedResult>(MAX_RESULTS),
	};
	/** The queued and running requests, by the SHA-256 hash of the key. */
	readonly #pending = new Map<string, Promise<Introspection>>();
	readonly #limiter: FairLimiter;
	/** Counts the unknown keys of each client network; null if rate limits are off. */
	readonly #unknown: UnknownKeys | null;
	#ping: Promise<boolean> | null = null;
	readonly #clock: Clock;
	readonly #endpoint: ProviderEndpoint;
	readonly #identityUrl: string;

	constructor(options: IntrospectorOptions) {
		const { rateLimits } = options;
		this.#clock = options.clock;
		this.#identityUrl = withoutSlash(options.url);
		this.#endpoint = {
			url: this.#identityUrl + options.introspectionPath,
			password: introspectionPassword(options.secret),
			fetch: options.fetch ?? fetch,
			proxy: proxyFor(options.url),
			timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
		};
		this.#unknown = rateLimits ? new UnknownKeys(options.clock) : null;
		this.#limiter = new FairLimiter({
			running: MAX_RUNNING,
			waiting: MAX_WAITING,
			waitingOfLane: rateLimits ? MAX_WAITING_OF_ADDRESS : MAX_WAITING,
		});
	}

	/** The number of cached results: at most 50,000 accepted and 50,000 refused keys. */
	get size(): number {
		return this.#results.accepted.size + this.#results.refused.size;
	}

	/** Whether the provider responds in time. Concurrent calls share one request. */
	ping(): Promise<boolean> {
		this.#ping ??= isReachable(this.#endpoint, this.#identityUrl).finally(() => {
			this.#ping = null;
		});
		return this.#ping;
	}

	/**
	 * Checks a key. Never throws. Concurrent calls for the same key share one request.
	 * @param address returns the key by which limits count the caller's address; called only if a request to
	 * the provider may be needed
	 */
	async introspect(key: string, address: () => string): Promise<Introspection> {
		if (!KEY_SHAPE.test(key)) return { outcome: "refused" };
		const hash = sha256(key).toHex();
		const nowMs = this.#clock();
		const cached = this.#cached(hash, nowMs);
		if (cached === undefined) {
			return this.#request(hash, key, address(), false);
		}
		const { result, freshUntilMs, retryAtMs } = cached;
		if (nowMs < freshUntilMs) return result;
		if (retryAtMs === null && !this.#limiter.isBusy(this.#slot(address()))) {
			return this.#request(hash, key, address(), true);
		}
		// During an outage or a flood, the cached result is returned and refreshed in the background.
		if (nowMs >= (retryAtMs ?? 0)) {
			void this.#request(hash, key, address(), true);
		}
		return result;
	}

	#request(hash: string, key: string, address: string, isCached: boolean): Promise<Introspection> {
		const pending = this.#pending.get(hash);
		if (pending !== undefined) return pending;
		const refusal = isCached ? null : this.#refuseFlood(address);
		if (refusal !== null) return Promise.resolve(refusal);
		const slot = {
			...this.#slot(address),
			isUrgent: isCached,
			signal: AbortSignal.timeout(WAIT_MS),
		};
		const check = async () =>
			(isCached ? null : this.#refuseFlood(address)) ?? this.#askProvider(hash, key, address);
		const result = this.#limiter
			.acquire(slot)
			.then(
				(release) => check().finally(release),
				() => this.#fallback(hash, overloaded),
			)
			.finally(() => {
				this.#pending.delete(hash);
			});
		this.#pending.set(hash, result);
		return result;
	}

	/** Returns the result `rate_limited` if the caller's network has sent too many unknown keys, else null. */
	#refuseFlood(address: string): Introspection | null {
		const retryAfterSeconds = this.#unknown?.retryAfterSeconds(address) ?? null;
		return retryAfterSeconds === null ? null : { outcome: "rate_limited", retryAfterSeconds };
	}

	#slot(address: string): SlotRequest {
		return this.#unknown === null
			? networkSlot(address)
			: { lanes: this.#unknown.lanesOf(address, MAX_RUNNING_OF_ADDRESS) };
	}

	async #askProvider(hash: string, key: string, address: string): Promise<Introspection> {
		const response = await requestIntrospection(this.#endpoint, key);
		if (!("json" in response)) return this.#fallback(hash, response);
		const nowMs = this.#clock();
		const read = readIntrospection(response.json, this.#identityUrl, nowMs);
		if (read === null) return this.#fallback(hash, unreadable);
		const { result } = read;
		if (result.outcome === "refused") this.#unknown?.add(address);
		this.#store(hash, read, nowMs);
		return result;
	}

	/**
	 * Returns the result during an outage: the cached result if it is still usable, else `unavailable`. A
	 * cached result is not refreshed again until the retry time of the outage.
	 */
	#fallback(hash: string, outage: Outage): Introspection {
		const nowMs = this.#clock();
		const cached = this.#cached(hash, nowMs);
		if (cached === undefined) return { outcome: "unavailable", ...outage };
		const waitSeconds = Math.max(RETRY_SECONDS, outage.retryAfterSeconds);
		cached.retryAtMs = nowMs + waitSeconds * SECOND_MS;
		return cached.result;
	}

	/**
	 * Returns the cached result for a key if it is still usable. Deletes it if it has expired, or if the clock
	 * has been set back to before `sinceMs`.
	 */
	#cached(hash: string, nowMs: number): CachedResult | undefined {
		const { accepted, refused } = this.#results;
		const cached = accepted.get(hash) ?? refused.get(hash);
		if (cached === undefined) return undefined;
		if (nowMs >= cached.sinceMs && nowMs < cached.untilMs) return cached;
		this.#delete(hash);
		return undefined;
	}

	/** Replaces the cached result of a key. */
	#store(hash: string, { result, expiresMs }: IntrospectionResponse, nowMs: number): void {
		const { freshMs, staleMs } = lifetimes[result.outcome];
		this.#delete(hash);
		this.#results[result.outcome].set(hash, {
			result,
			sinceMs: nowMs,
			freshUntilMs: Math.min(nowMs + freshMs, expiresMs),
			untilMs: Math.min(nowMs + staleMs, expiresMs),
			retryAtMs: null,
		});
	}

	#delete(hash: string): void {
		for (const results of Object.values(this.#results)) results.delete(hash);
	}
}
