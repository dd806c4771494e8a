import { FairLimiter, LimitExceeded } from "../lib/fair-limiter.ts";
import { networkSlot } from "../lib/network-limits.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Call } from "./call.ts";

/**
 * The maximum number of open event streams and waiting calls of an IPv4 address or an IPv6 /64 network. The
 * limits of IPv6 /56 and /48 networks are higher (see `networkLimits`).
 */
const MAX_OF_NETWORK = 30;

/**
 * Pages of other origins may have this part of the slots, so that no page takes all of those of its visitor.
 */
const PART_OF_PAGES = 1 / 3;

/**
 * The limit for all clients together. Callers without a valid credential can use only the first 8,000 slots.
 */
export const MAX_IN_ALL = 10_000;
const MAX_ANONYMOUS = 8_000;

/**
 * The delay suggested to a refused client. It is a guess, because nobody knows when another call will end and
 * free a slot.
 */
const RETRY_SECONDS = 5;

/**
 * What a slot is used for. Event streams and waiting calls share the same slots. Each use has a key without a
 * limit, so that the metrics can count both separately.
 */
const kinds = {
	stream: { key: "stream", limit: Number.POSITIVE_INFINITY },
	call: { key: "call", limit: Number.POSITIVE_INFINITY },
} as const;

/** Limits the number of open event streams and waiting calls, in total and for each client network. */
export class ConcurrencyLimit {
	readonly #limiter = new FairLimiter({ running: MAX_IN_ALL });

	readonly #maxOfNetwork: number;

	/** @param isLimited whether to enforce the limit for each client network */
	constructor(isLimited: boolean) {
		this.#maxOfNetwork = isLimited ? MAX_OF_NETWORK : Number.POSITIVE_INFINITY;
	}

	/** The number of open streams and of waiting calls. */
	get open(): Readonly<Record<keyof typeof kinds, number>> {
		const { stream, call } = kinds;
		return {
			stream: this.#limiter.running(stream.key),
			call: this.#limiter.running(call.key),
		};
	}

	/** Whether only the slots for callers with a valid credential are left. */
	get isReserved(): boolean {
		const { stream, call } = this.open;
		return stream + call >= MAX_ANONYMOUS;
	}

	/**
	 * Acquires a slot.
	 * @param isKnown whether the caller has a valid credential
	 * @returns a function that releases the slot; calling it again has no effect
	 * @throws ResortError `rate_limited` if the network has too many slots, `unavailable` if none is free
	 */
	acquire(kind: keyof typeof kinds, call: Pick<Call, "address" | "isForeign">, isKnown: boolean): () => void {
		if (this.isReserved && !isKnown) {
			throw refused(
				"unavailable",
				`The slots that are left are for callers with a credential: send an API key, or for now call without wait.`,
			);
		}
		const address = call.address();
		const isForeign = call.isForeign?.();
		const limit = this.#maxOfNetwork * PART_OF_PAGES;
		const pages = isForeign ? [{ key: `pages ${address}`, limit }] : [];
		try {
			return this.#limiter.tryAcquire({
				...networkSlot(address, this.#maxOfNetwork),
				limits: [kinds[kind], ...pages],
			});
		} catch (error) {
			if (!(error instanceof LimitExceeded)) throw error;
			throw error.full === "key"
				? refused(
						"rate_limited",
						`${isForeign ? "Pages of other origins may have a third of the slots. " : ""}An address may have ${MAX_OF_NETWORK} at a time (${4 * MAX_OF_NETWORK} for an IPv6 /56, ${10 * MAX_OF_NETWORK} for a /48): GET /api/agents/status waits for up to 100 agents at once, and one stream of GET /api/events carries all events.`,
					)
				: refused("unavailable", `The instance allows ${MAX_IN_ALL} at a time; for now, call without wait.`);
		}
	}
}

function refused(code: "rate_limited" | "unavailable", hint: string): ResortError {
	return new ResortError(code, "Too many waiting calls and streams", {
		hint,
		retryAfterSeconds: RETRY_SECONDS,
	});
}
