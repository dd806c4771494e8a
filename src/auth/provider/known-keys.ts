import { BoundedCache } from "../../lib/bounded-cache.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";
import type { Identity, IntrospectionAnswer } from "./answer.ts";

/** How long a yes and a no are used without asking again. */
const YES_MS = MINUTE_MS;
const NO_MS = 10 * SECOND_MS;
/** How long a yes is used while the provider does not answer, counted from the yes. */
const STALE_MS = 5 * MINUTE_MS;

/** How many answers of each kind are remembered. */
const MAX_ANSWERS = 50_000;

/** A remembered yes; all times in milliseconds since the epoch. */
export interface KnownYes {
	readonly outcome: "accepted";
	readonly identity: Identity;
	readonly sinceMs: number;
	/** Until when it is used without asking, and until when at all; both exclusive. */
	readonly freshUntilMs: number;
	readonly untilMs: number;
	/** When to ask again after the provider did not answer; null when it did. */
	askAgainMs: number | null;
}

/** A remembered no. */
export interface KnownNo {
	readonly outcome: "refused";
	readonly sinceMs: number;
	readonly untilMs: number;
}

/**
 * Remembers the newest answer on each key, by the key's SHA-256. A yes and a no have a store of their own, so that
 * invented keys push out no good one. An answer from before a clock was set back is forgotten.
 */
export class KnownKeys {
	readonly #yes = new BoundedCache<KnownYes>({ maxEntries: MAX_ANSWERS });
	readonly #no = new BoundedCache<KnownNo>({ maxEntries: MAX_ANSWERS });

	/** How many answers are remembered: at most 100,000. */
	get size(): number {
		return this.#yes.size + this.#no.size;
	}

	/** What is known of a key and may still be used. */
	find(hash: string, nowMs: number): KnownYes | KnownNo | undefined {
		const known = this.#yes.get(hash) ?? this.#no.get(hash);
		if (known === undefined) return undefined;
		if (nowMs >= known.sinceMs && nowMs < known.untilMs) return known;
		this.#forget(hash);
		return undefined;
	}

	/** Remembers an answer in place of the one before. */
	remember(
		hash: string,
		answer: IntrospectionAnswer,
		nowMs: number,
	): KnownYes | KnownNo {
		this.#forget(hash);
		if (answer.outcome === "refused") {
			const no = { ...answer, sinceMs: nowMs, untilMs: nowMs + NO_MS };
			this.#no.set(hash, no);
			return no;
		}
		const { outcome, identity, expiresMs } = answer;
		const yes: KnownYes = {
			outcome,
			identity,
			sinceMs: nowMs,
			freshUntilMs: Math.min(nowMs + YES_MS, expiresMs),
			untilMs: Math.min(nowMs + STALE_MS, expiresMs),
			askAgainMs: null,
		};
		this.#yes.set(hash, yes);
		return yes;
	}

	#forget(hash: string): void {
		this.#yes.delete(hash);
		this.#no.delete(hash);
	}
}
