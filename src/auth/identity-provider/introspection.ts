import { createCache } from "../../lib/bounded-cache.ts";
import { type Clock, MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import { sha256 } from "../../lib/credential.ts";
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

/** `ai_` and visible ASCII, 10 to 256 characters in all. */
const KEY_SHAPE = /^ai_[\x21-\x7e]{7,253}$/;

/** The most requests to the provider at a time, in all and for the callers of one address. */
const MAX_RUNNING = 100;
const MAX_RUNNING_OF_ADDRESS = 25;
/** The most requests that wait, in all and of one address, and for how long. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_ADDRESS = 250;
const WAIT_MS = 3 * SECOND_MS;

/** How long an address has low priority after it has sent an unknown key. */
const SUSPECT_MS = 10 * MINUTE_MS;
const MAX_SUSPECTS = 50_000;

/** How long a result is used without another request, and how long while the provider is unavailable. */
const lifetimes = {
	accepted: { freshMs: MINUTE_MS, staleMs: 5 * MINUTE_MS },
	refused: { freshMs: 10 * SECOND_MS, staleMs: 10 * SECOND_MS },
};

/** The most cached results of each kind. */
const MAX_RESULTS = 50_000;

/** A cached result; all times in milliseconds since the epoch, both ends exclusive. */
interface CachedResult {
	readonly result: IntrospectionResult;
	readonly sinceMs: number;
	readonly freshUntilMs: number;
	readonly untilMs: number;
	/** When to send the next request after the provider was unavailable; null if it was not. */
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

/** The result of checking a key. */
export type Introspection =
	| IntrospectionResult
	| ({ readonly outcome: "unavailable" } & Outage);

/** How an introspector works. */
export interface IntrospectorOptions {
	/** The provider's URL, which is also its issuer; a trailing slash is ignored. */
	readonly url: string;
	/** The path of the endpoint below it, with a leading slash. */
	readonly introspectionPath: string;
	/** The first of `--identity-secret`. */
	readonly secret: string;
	/** Whether each address has a limit of its own, beside its fair share. */
	readonly rateLimits: boolean;
	readonly clock: Clock;
	/** The runtime's own when left out. */
	readonly fetch?: typeof fetch;
	/** The time limit of a whole response; 2 s when left out. */
	readonly timeoutMs?: number;
}

/**
 * Checks central keys (`ai_…`) at the identity provider by introspection (RFC 7662), and caches the results.
 *
 * An accepted key is cached for 60 s, a refused one for 10 s, none beyond `exp`. While the provider is unavailable, an
 * accepted key is used for 5 minutes: after the first request that failed it is used at once, and requests are repeated
 * in the background, at most every 5 s.
 *
 * Addresses are served in turn, so that invented keys do not keep others from the provider. Nobody is refused for the
 * keys that others sent from the same address: they only share its turns.
 */
export class Introspector {
	/** By the SHA-256 of the key. Refused keys have a cache of their own, so that invented ones evict no valid one. */
	readonly #results = {
		accepted: createCache<CachedResult>(MAX_RESULTS),
		refused: createCache<CachedResult>(MAX_RESULTS),
	};
	/** The requests that wait or run, by the SHA-256 of the key. */
	readonly #pending = new Map<string, Promise<Introspection>>();
	readonly #limiter: FairLimiter;
	readonly #maxRunningOfAddress: number;
	/** When each address last sent a key that the provider does not know. */
	readonly #suspects = createCache<number>(MAX_SUSPECTS);
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
			timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
		};
		this.#maxRunningOfAddress = rateLimits
			? MAX_RUNNING_OF_ADDRESS
			: MAX_RUNNING;
		this.#limiter = new FairLimiter({
			running: MAX_RUNNING,
			waiting: MAX_WAITING,
			waitingOfLane: rateLimits ? MAX_WAITING_OF_ADDRESS : MAX_WAITING,
		});
	}

	/** The number of cached results: at most 50,000 accepted keys and as many refused ones. */
	get size(): number {
		return this.#results.accepted.size + this.#results.refused.size;
	}

	/** Whether the provider responds in time; concurrent calls share one request. */
	ping(): Promise<boolean> {
		this.#ping ??= isReachable(this.#endpoint, this.#identityUrl).finally(
			() => {
				this.#ping = null;
			},
		);
		return this.#ping;
	}

	/**
	 * Returns the owner of a key. Never throws; concurrent calls for one key share one request.
	 * @param address returns the key of the caller's address; called only if a request may be needed
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
		// During an outage or a flood the cached result is used, and refreshed in the background.
		if (nowMs >= (retryAtMs ?? 0)) {
			void this.#request(hash, key, address(), true);
		}
		return result;
	}

	#request(
		hash: string,
		key: string,
		address: string,
		isCached: boolean,
	): Promise<Introspection> {
		const pending = this.#pending.get(hash);
		if (pending !== undefined) return pending;
		const slot = {
			...this.#slot(address),
			isLowPriority: this.#isSuspect(address),
			isUrgent: isCached,
			signal: AbortSignal.timeout(WAIT_MS),
		};
		const result = this.#limiter
			.acquire(slot)
			.then(
				(release) => this.#askProvider(hash, key, address).finally(release),
				() => this.#fallback(hash, overloaded),
			)
			.finally(() => {
				this.#pending.delete(hash);
			});
		this.#pending.set(hash, result);
		return result;
	}

	#slot(address: string): SlotRequest {
		return networkSlot(address, this.#maxRunningOfAddress);
	}

	async #askProvider(
		hash: string,
		key: string,
		address: string,
	): Promise<Introspection> {
		const response = await requestIntrospection(this.#endpoint, key);
		if (!("json" in response)) return this.#fallback(hash, response);
		const nowMs = this.#clock();
		const read = readIntrospection(response.json, this.#identityUrl, nowMs);
		if (read === null) return this.#fallback(hash, unreadable);
		const { result } = read;
		if (result.outcome === "refused") this.#suspects.set(address, nowMs);
		this.#store(hash, read, nowMs);
		return result;
	}

	#isSuspect(address: string): boolean {
		const sinceMs = this.#suspects.get(address);
		// `abs`: the clock may have been set back.
		return (
			sinceMs !== undefined && Math.abs(this.#clock() - sinceMs) < SUSPECT_MS
		);
	}

	/** Returns the cached result during an outage, as long as it may be used. */
	#fallback(hash: string, outage: Outage): Introspection {
		const nowMs = this.#clock();
		const cached = this.#cached(hash, nowMs);
		if (cached === undefined) return { outcome: "unavailable", ...outage };
		const waitSeconds = Math.max(RETRY_SECONDS, outage.retryAfterSeconds);
		cached.retryAtMs = nowMs + waitSeconds * SECOND_MS;
		return cached.result;
	}

	/** Returns the result for a key if it may still be used. It is dropped if the clock was set back before its time. */
	#cached(hash: string, nowMs: number): CachedResult | undefined {
		const { accepted, refused } = this.#results;
		const cached = accepted.get(hash) ?? refused.get(hash);
		if (cached === undefined) return undefined;
		if (nowMs >= cached.sinceMs && nowMs < cached.untilMs) return cached;
		this.#delete(hash);
		return undefined;
	}

	/** Stores a result in place of the previous one. */
	#store(
		hash: string,
		{ result, expiresMs }: IntrospectionResponse,
		nowMs: number,
	): void {
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
