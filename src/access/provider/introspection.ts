import { type Clock, MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import { sha256 } from "../../lib/credential.ts";
import {
	type Answer,
	type Identity,
	readAnswer,
	withoutSlash,
} from "./answer.ts";
import { introspectionPassword } from "./keys.ts";
import {
	answers,
	askProvider,
	type Connection,
	type Outage,
	RETRY_SECONDS,
	TIMEOUT_MS,
} from "./provider.ts";

export type { Identity } from "./answer.ts";

/** `ai_` and visible ASCII, 10 to 256 characters in all. */
const KEY_SHAPE = /^ai_[\x21-\x7e]{7,253}$/;

/** How long a yes and a no are used without asking again. */
const YES_MS = MINUTE_MS;
const NO_MS = 10 * SECOND_MS;
/** How long a yes is used while the provider does not answer, counted from the yes. */
const STALE_MS = 5 * MINUTE_MS;

const MAX_KNOWN = 50_000;
const MAX_FLIGHTS = 100;

const unreadable: Outage = {
	reason: "no introspection answer",
	retryAfterSeconds: RETRY_SECONDS,
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
	readonly clock: Clock;
	/** The runtime's own when left out. */
	readonly fetch?: typeof fetch;
	/** For a whole answer; 2 s when left out. */
	readonly timeoutMs?: number;
}

/** The newest answer on one key; all times in milliseconds since the epoch. */
interface Known {
	readonly introspection: Introspection;
	readonly sinceMs: number;
	/** Until when it is used without asking, and until when at all; both exclusive. */
	readonly freshUntilMs: number;
	readonly untilMs: number;
	/** When to ask again after the provider did not answer; null when it did. */
	askAgainMs: number | null;
}

/**
 * Checks central keys (`ai_…`) at the identity provider by RFC 7662 introspection (decisions 7.2 and 8), and
 * remembers the answers by the key's SHA-256; the key itself is kept nowhere.
 *
 * A yes counts 60 s, a no 10 s, nothing past `exp`. While the provider does not answer, a yes counts 5 minutes:
 * after the first question that stayed without answer it is given at once, and the provider is asked again in
 * the background, at most every 5 s. What was known before a clock was set back is forgotten.
 */
export class Introspector {
	/** By the SHA-256 of the key, oldest answer first. */
	readonly #known = new Map<string, Known>();
	/** The questions under way, by the SHA-256 of the key. */
	readonly #flights = new Map<string, Promise<Introspection>>();
	/** The ping under way. */
	#ping: Promise<boolean> | null = null;
	readonly #clock: Clock;
	readonly #connection: Connection;
	readonly #identityUrl: string;
	readonly #endpoint: string;
	readonly #password: string;

	constructor(options: IntrospectorOptions) {
		this.#clock = options.clock;
		this.#connection = {
			fetch: options.fetch ?? fetch,
			timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
		};
		this.#identityUrl = withoutSlash(options.identityUrl);
		this.#endpoint = this.#identityUrl + options.path;
		this.#password = introspectionPassword(options.secret);
	}

	/** How many answers are remembered: at most 50,000. */
	get size(): number {
		return this.#known.size;
	}

	/** Whether the provider gives any HTTP answer at all within its time; many who ask at once ask it once. */
	ping(): Promise<boolean> {
		this.#ping ??= answers(this.#connection, this.#identityUrl).finally(() => {
			this.#ping = null;
		});
		return this.#ping;
	}

	/** Whom a key belongs to. Never fails; of many calls at once for one key, one asks the provider. */
	async introspect(key: string): Promise<Introspection> {
		if (!KEY_SHAPE.test(key)) return { outcome: "refused" };
		const hash = sha256(key).toHex();
		const known = this.#find(hash);
		if (known === undefined) return this.#ask(hash, key);
		const nowMs = this.#clock();
		if (nowMs < known.freshUntilMs) return known.introspection;
		if (known.askAgainMs === null) return this.#ask(hash, key);
		// An outage: nobody is kept waiting for what will probably not come.
		if (nowMs >= known.askAgainMs) void this.#ask(hash, key);
		return known.introspection;
	}

	/** What is known of a key and may still be used. */
	#find(hash: string): Known | undefined {
		const known = this.#known.get(hash);
		if (known === undefined) return undefined;
		const nowMs = this.#clock();
		if (nowMs >= known.sinceMs && nowMs < known.untilMs) return known;
		this.#known.delete(hash);
		return undefined;
	}

	#ask(hash: string, key: string): Promise<Introspection> {
		const flight = this.#flights.get(hash);
		if (flight !== undefined) return flight;
		if (this.#flights.size >= MAX_FLIGHTS) {
			const outage = { reason: "too many questions", retryAfterSeconds: 1 };
			return Promise.resolve(this.#withoutAnswer(hash, outage));
		}
		const asked = this.#fly(hash, key).finally(() => {
			this.#flights.delete(hash);
		});
		this.#flights.set(hash, asked);
		return asked;
	}

	async #fly(hash: string, key: string): Promise<Introspection> {
		const reply = await askProvider(
			this.#connection,
			this.#endpoint,
			this.#password,
			key,
		);
		if (!("json" in reply)) return this.#withoutAnswer(hash, reply);
		const answer = readAnswer(reply.json, this.#identityUrl, this.#clock());
		return answer === null
			? this.#withoutAnswer(hash, unreadable)
			: this.#remember(hash, answer);
	}

	#remember(hash: string, answer: Answer): Introspection {
		const nowMs = this.#clock();
		const isYes = answer.outcome === "accepted";
		const expiresMs = isYes ? answer.expiresMs : Number.POSITIVE_INFINITY;
		const introspection: Introspection = isYes
			? { outcome: "accepted", identity: answer.identity }
			: answer;
		// Taken out first, so that the newest answer stands last.
		this.#known.delete(hash);
		this.#known.set(hash, {
			introspection,
			sinceMs: nowMs,
			freshUntilMs: Math.min(nowMs + (isYes ? YES_MS : NO_MS), expiresMs),
			untilMs: Math.min(nowMs + (isYes ? STALE_MS : NO_MS), expiresMs),
			askAgainMs: null,
		});
		if (this.#known.size > MAX_KNOWN) {
			for (const oldest of this.#known.keys()) {
				this.#known.delete(oldest);
				break;
			}
		}
		return introspection;
	}

	/** What to say when the provider said nothing: the last answer, as long as it may be used. */
	#withoutAnswer(hash: string, outage: Outage): Introspection {
		const known = this.#find(hash);
		if (known === undefined) return { outcome: "unavailable", ...outage };
		const waitSeconds = Math.max(RETRY_SECONDS, outage.retryAfterSeconds);
		known.askAgainMs = this.#clock() + waitSeconds * SECOND_MS;
		return known.introspection;
	}
}
