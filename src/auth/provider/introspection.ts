import { BoundedCache } from "../../lib/bounded-cache.ts";
import { type Clock, MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import { sha256 } from "../../lib/credential.ts";
import { FairLimiter, type SlotRequest } from "../../lib/fair-limiter.ts";
import { type Identity, readAnswer, withoutSlash } from "./answer.ts";
import { introspectionPassword } from "./keys.ts";
import { KnownKeys, type KnownNo, type KnownYes } from "./known-keys.ts";
import {
	answers,
	askProvider,
	type Outage,
	type ProviderEndpoint,
	RETRY_SECONDS,
	TIMEOUT_MS,
} from "./provider.ts";

export type { Identity } from "./answer.ts";

/** `ai_` and visible ASCII, 10 to 256 characters in all. */
const KEY_SHAPE = /^ai_[\x21-\x7e]{7,253}$/;

/** How many questions are in flight at once, and how many for the callers of one address. */
const MAX_FLIGHTS = 100;
const MAX_FLIGHTS_OF_ADDRESS = 25;
/** How many questions wait for a flight, in all and of one address, and how long. */
const MAX_WAITING = 1_000;
const MAX_WAITING_OF_ADDRESS = 250;
const WAIT_MS = 3 * SECOND_MS;

/** For how long an address that sent an unknown key has its turn after all others. */
const SUSPECT_MS = 10 * MINUTE_MS;
const MAX_SUSPECTS = 50_000;

const unreadable: Outage = {
	reason: "no introspection answer",
	retryAfterSeconds: RETRY_SECONDS,
};
const overloaded: Outage = {
	reason: "too many questions",
	retryAfterSeconds: 1,
};

/** What is known of a key. */
export type Introspection =
	| { readonly outcome: "accepted"; readonly identity: Identity }
	| { readonly outcome: "refused" }
	| ({ readonly outcome: "unavailable" } & Outage);

/** How an introspector works. */
export interface IntrospectorOptions {
	/** The provider's address, which is its issuer too; a slash at its end means nothing. */
	readonly identityUrl: string;
	/** Where the endpoint is below it, from the slash on. */
	readonly path: string;
	/** The first of `--identity-secret`. */
	readonly secret: string;
	/** Whether each address has a limit of its own, beside its fair share. */
	readonly rateLimits: boolean;
	readonly clock: Clock;
	/** The runtime's own when left out. */
	readonly fetch?: typeof fetch;
	/** For a whole answer; 2 s when left out. */
	readonly timeoutMs?: number;
}

/**
 * Checks central keys (`ai_…`) at the identity provider by introspection (RFC 7662), and remembers the answers by
 * the key's SHA-256; the key itself is not kept.
 *
 * A yes counts 60 s, a no 10 s, nothing past `exp`. While the provider does not answer, a yes counts 5 minutes:
 * after the first question that stayed without answer it is given at once, and the provider is asked again in
 * the background, at most every 5 s.
 *
 * Questions take turns by the caller's address, so that invented keys do not keep the provider from a new good
 * one. Nobody is locked out for the keys that others sent from the same address: they only share its turns.
 */
export class Introspector {
	readonly #known = new KnownKeys();
	/** The questions that wait or are in flight, by the SHA-256 of the key. */
	readonly #questions = new Map<string, Promise<Introspection>>();
	readonly #limiter: FairLimiter;
	readonly #maxFlightsOfAddress: number;
	/** When an address last sent a key that the provider does not know. */
	readonly #suspects = new BoundedCache<number>({
		maxEntries: MAX_SUSPECTS,
	});
	/** The ping under way. */
	#ping: Promise<boolean> | null = null;
	readonly #clock: Clock;
	readonly #endpoint: ProviderEndpoint;
	readonly #identityUrl: string;

	constructor(options: IntrospectorOptions) {
		const { rateLimits } = options;
		this.#clock = options.clock;
		this.#identityUrl = withoutSlash(options.identityUrl);
		this.#endpoint = {
			url: this.#identityUrl + options.path,
			password: introspectionPassword(options.secret),
			fetch: options.fetch ?? fetch,
			timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
		};
		this.#maxFlightsOfAddress = rateLimits
			? MAX_FLIGHTS_OF_ADDRESS
			: MAX_FLIGHTS;
		this.#limiter = new FairLimiter({
			running: MAX_FLIGHTS,
			waiting: MAX_WAITING,
			waitingOfLane: rateLimits ? MAX_WAITING_OF_ADDRESS : MAX_WAITING,
		});
	}

	/** How many answers are remembered: at most 50,000 that say yes, and as many that say no. */
	get size(): number {
		return this.#known.size;
	}

	/** Whether the provider gives any HTTP answer at all within its time; many who ask at once ask it once. */
	ping(): Promise<boolean> {
		this.#ping ??= answers(this.#endpoint, this.#identityUrl).finally(() => {
			this.#ping = null;
		});
		return this.#ping;
	}

	/**
	 * Whom a key belongs to. Never fails; of many calls at once for one key, one asks the provider.
	 * @param address gives the key of the caller's address; called only when the provider may have to be asked
	 */
	async introspect(key: string, address: () => string): Promise<Introspection> {
		if (!KEY_SHAPE.test(key)) return { outcome: "refused" };
		const hash = sha256(key).toHex();
		const nowMs = this.#clock();
		const known = this.#known.find(hash, nowMs);
		if (known === undefined) return this.#ask(hash, key, address(), false);
		if (known.outcome === "refused" || nowMs < known.freshUntilMs) {
			return told(known);
		}
		const { askAgainMs } = known;
		if (askAgainMs === null && !this.#limiter.isBusy(this.#slotOf(address()))) {
			return this.#ask(hash, key, address(), true);
		}
		// An outage or a flood: the answer is asked for in the background, and nobody is kept waiting.
		if (nowMs >= (askAgainMs ?? 0)) void this.#ask(hash, key, address(), true);
		return told(known);
	}

	#ask(
		hash: string,
		key: string,
		address: string,
		isKnown: boolean,
	): Promise<Introspection> {
		const asked = this.#questions.get(hash);
		if (asked !== undefined) return asked;
		const slot = {
			...this.#slotOf(address),
			isLowPriority: this.#isSuspect(address),
			isUrgent: isKnown,
			signal: AbortSignal.timeout(WAIT_MS),
		};
		const question = this.#limiter
			.acquire(slot)
			.then(
				(release) => this.#fly(hash, key, address).finally(release),
				() => this.#withoutAnswer(hash, overloaded),
			)
			.finally(() => {
				this.#questions.delete(hash);
			});
		this.#questions.set(hash, question);
		return question;
	}

	#slotOf(address: string): SlotRequest {
		const limit = this.#maxFlightsOfAddress;
		return { lane: address, limits: [{ key: address, limit }] };
	}

	async #fly(
		hash: string,
		key: string,
		address: string,
	): Promise<Introspection> {
		const reply = await askProvider(this.#endpoint, key);
		if (!("json" in reply)) return this.#withoutAnswer(hash, reply);
		const nowMs = this.#clock();
		const answer = readAnswer(reply.json, this.#identityUrl, nowMs);
		if (answer === null) return this.#withoutAnswer(hash, unreadable);
		if (answer.outcome === "refused") this.#suspects.set(address, nowMs);
		return told(this.#known.remember(hash, answer, nowMs));
	}

	#isSuspect(address: string): boolean {
		const sinceMs = this.#suspects.get(address);
		// `abs`: the clock may have been set back.
		return (
			sinceMs !== undefined && Math.abs(this.#clock() - sinceMs) < SUSPECT_MS
		);
	}

	/** What to say when the provider said nothing: the last answer, as long as it may be used. */
	#withoutAnswer(hash: string, outage: Outage): Introspection {
		const nowMs = this.#clock();
		const known = this.#known.find(hash, nowMs);
		if (known === undefined) return { outcome: "unavailable", ...outage };
		if (known.outcome === "accepted") {
			const waitSeconds = Math.max(RETRY_SECONDS, outage.retryAfterSeconds);
			known.askAgainMs = nowMs + waitSeconds * SECOND_MS;
		}
		return told(known);
	}
}

/** A remembered answer without its times. */
function told(known: KnownYes | KnownNo): Introspection {
	return known.outcome === "refused"
		? { outcome: "refused" }
		: { outcome: "accepted", identity: known.identity };
}
