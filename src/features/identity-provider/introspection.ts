import { createCache } from "../../core/lib/bounded-cache.ts";
import { type Clock, MINUTE_MS, SECOND_MS } from "../../core/lib/clock.ts";
import { sha256 } from "../../core/lib/credential.ts";
import { Gate } from "../../core/lib/gate.ts";
import { networkLimits } from "../../core/lib/ip-address.ts";
import { ResortError } from "../../core/lib/resort-error.ts";
import { deriveKey } from "../../core/lib/sealed-text.ts";
import { SlidingWindow } from "../../core/lib/sliding-window.ts";
import { proxyFor } from "../../core/server/ports.ts";
import {
	type Identity,
	isReachable,
	outage,
	type ProviderEndpoint,
	RETRY_SECONDS,
	readIntrospection,
	requestIntrospection,
	TIMEOUT_MS,
	withoutSlash,
} from "./introspection-client.ts";

/** The format of a central key: `ai_` and visible ASCII, 10 to 256 characters in total. */
const KEY_SHAPE = /^ai_[\x21-\x7e]{7,253}$/;

/** The maximum numbers of running and waiting requests, in all and by network, and the maximum wait. */
const BOUNDS = { running: 100, waiting: 5_000 };
const BOUNDS_OF_NETWORK = { ofNetwork: 8, waitingOfNetwork: 250 };
const WAIT_MS = 3 * SECOND_MS;

/** The maximum number of unknown keys for each network and minute, and of networks in memory. */
const MAX_UNKNOWN = 30;
const MAX_NETWORKS = 70_000;

/** How long a result is used: `freshMs` without a new request, `staleMs` if a new request fails. */
const lifetimes = {
	accepted: { freshMs: MINUTE_MS, staleMs: 5 * MINUTE_MS },
	refused: { freshMs: 10 * SECOND_MS, staleMs: 10 * SECOND_MS },
};

/** The maximum number of cached results. */
const MAX_RESULTS = 50_000;

/** A cached result. It is valid from `sinceMs` on and before `untilMs`, in milliseconds since the epoch. */
interface Result {
	/** The owner of the key; null if the key was refused. */
	readonly identity: Identity | null;
	readonly sinceMs: number;
	readonly untilMs: number;
	/** The time from which a call repeats the request. */
	refreshAtMs: number;
	/** Whether the last request failed. */
	isOutdated: boolean;
}

/** How to reach the provider, and how to limit the requests to it. */
export interface IdentityOptions {
	/** The URL of the provider, which is also its issuer. A trailing slash is ignored. */
	readonly url: string;
	/** The path of the introspection endpoint below the URL, with a leading slash. */
	readonly introspectionPath: string;
	/** One or two secrets. The first is used for introspection; both verify signed calls. */
	readonly secrets: readonly [string, ...string[]];
	/** Whether to limit the requests and the unknown keys of each client network. */
	readonly rateLimits: boolean;
	readonly clock: Clock;
	/** Defaults to the runtime's `fetch`. */
	readonly fetch?: typeof fetch;
	/** The time limit for a complete response; 2 s by default. */
	readonly timeoutMs?: number;
}

/**
 * Checks central keys (`ai_…`) by introspection at the identity provider (RFC 7662). Results are cached for
 * the times in {@link lifetimes}, but not after the key's `exp`. After a failed request, calls use the cached
 * result and do not wait for the next request, which is sent after 5 s at the earliest.
 */
export class Introspector {
	/** The results by the SHA-256 hash of the key. */
	readonly #results = createCache<Result>(MAX_RESULTS);
	/** The requests in progress, by the SHA-256 hash of the key. */
	readonly #pending = new Map<string, Promise<Identity | null>>();
	readonly #gate: Gate;
	/** Counts, for each network, the keys that the provider refused; null if rate limits are off. */
	readonly #unknown: SlidingWindow | null;
	#ping: Promise<boolean> | null = null;
	readonly #clock: Clock;
	readonly #endpoint: ProviderEndpoint;
	readonly #identityUrl: string;

	constructor({ rateLimits, clock, url, introspectionPath, secrets, ...options }: IdentityOptions) {
		this.#clock = clock;
		this.#identityUrl = withoutSlash(url);
		this.#endpoint = {
			url: this.#identityUrl + introspectionPath,
			password: Buffer.from(deriveKey(secrets[0], "introspection")).toString("base64url"),
			fetch: options.fetch ?? fetch,
			proxy: proxyFor(url),
			timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
		};
		this.#unknown = rateLimits ? new SlidingWindow(MINUTE_MS, MAX_NETWORKS) : null;
		const ofNetwork = rateLimits ? BOUNDS_OF_NETWORK : { waitingOfNetwork: BOUNDS.waiting };
		this.#gate = new Gate({ ...BOUNDS, ...ofNetwork }, () => outage("too many requests", 1));
	}

	get size(): number {
		return this.#results.size;
	}

	/** Whether the provider responds in time. Concurrent calls share one request. */
	ping(): Promise<boolean> {
		this.#ping ??= isReachable(this.#endpoint, this.#identityUrl).finally(() => {
			this.#ping = null;
		});
		return this.#ping;
	}

	/**
	 * Checks a key. Concurrent calls for the same key share one request.
	 * @param address returns the key under which limits count the caller; called only if no result is cached
	 * @returns the owner of the key; null if the provider does not accept the key for this resort
	 * @throws ResortError `unavailable` if the provider does not respond, with the reason as its `cause`;
	 * `rate_limited` if the caller's network has sent too many unknown keys
	 */
	async introspect(key: string, address: () => string): Promise<Identity | null> {
		if (!KEY_SHAPE.test(key)) return null;
		const hash = sha256(key).toHex();
		const nowMs = this.#clock();
		const known = this.#find(hash, nowMs);
		if (known !== undefined && nowMs < known.refreshAtMs) return known.identity;
		let answer = this.#pending.get(hash);
		if (answer === undefined) {
			answer = this.#request(hash, key, known === undefined ? address() : null)
				.catch((error) => this.#fallBack(hash, error))
				.finally(() => this.#pending.delete(hash));
			this.#pending.set(hash, answer);
		}
		if (!known?.isOutdated) return answer;
		answer.catch(() => {});
		return known.identity;
	}

	/**
	 * Sends a request to the provider as soon as the gate admits it. The request for a cached key does not wait
	 * for other requests from the same network.
	 * @param address the address of the caller; null for a key whose result is cached
	 */
	async #request(hash: string, key: string, address: string | null): Promise<Identity | null> {
		const release = await this.#gate.enter(address ?? hash, AbortSignal.timeout(WAIT_MS));
		let refund = () => {};
		try {
			if (address !== null) refund = this.#countUnknown(address);
			const identity = await this.#check(hash, key);
			if (identity === null) refund = () => {};
			return identity;
		} finally {
			refund();
			release();
		}
	}

	/**
	 * Counts an unknown key from a network.
	 * @returns a function that undoes the count; call it if the provider has not refused the key
	 * @throws ResortError `rate_limited`
	 */
	#countUnknown(address: string): () => void {
		const networks = networkLimits(address, MAX_UNKNOWN);
		const counted = this.#unknown?.admit(networks, this.#clock());
		if (counted?.admitted === false) {
			const { resetSeconds } = counted;
			throw new ResortError("rate_limited", "Rate limit exceeded", {
				hint: `Too many unknown keys were sent from your network. Wait ${resetSeconds} seconds, then repeat the call.`,
				retryAfterSeconds: resetSeconds,
			});
		}
		return () => this.#unknown?.refund(networks, this.#clock());
	}

	/** Asks the provider, and caches the result. */
	async #check(hash: string, key: string): Promise<Identity | null> {
		const json = await requestIntrospection(this.#endpoint, key);
		const sinceMs = this.#clock();
		const { identity, expiresMs } = readIntrospection(json, this.#identityUrl, sinceMs);
		const { freshMs, staleMs } = identity === null ? lifetimes.refused : lifetimes.accepted;
		this.#results.set(hash, {
			identity,
			sinceMs,
			refreshAtMs: Math.min(sinceMs + freshMs, expiresMs),
			untilMs: Math.min(sinceMs + staleMs, expiresMs),
			isOutdated: false,
		});
		return identity;
	}

	/** Returns the cached result after a failed request. @throws `error` if no result is cached */
	#fallBack(hash: string, error: unknown): Identity | null {
		const nowMs = this.#clock();
		const known = this.#find(hash, nowMs);
		if (known === undefined || !(error instanceof ResortError)) throw error;
		const waitSeconds = Math.max(RETRY_SECONDS, error.details.retryAfterSeconds ?? 0);
		known.refreshAtMs = nowMs + waitSeconds * SECOND_MS;
		known.isOutdated = true;
		return known.identity;
	}

	/** Returns the cached result, unless it has expired or the clock was set back to before `sinceMs`. */
	#find(hash: string, nowMs: number): Result | undefined {
		const known = this.#results.get(hash);
		if (known === undefined || (nowMs >= known.sinceMs && nowMs < known.untilMs)) return known;
		this.#results.delete(hash);
		return undefined;
	}
}
