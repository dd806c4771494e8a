import { FairLimiter, LimitExceeded } from "../lib/fair-limiter.ts";
import { ResortError } from "../lib/resort-error.ts";

const MAX_OF_ADDRESS = 30;
const MAX_IN_ALL = 10_000;

/** It is unknown when a place becomes free. */
const RETRY_SECONDS = 5;

/** What occupies a place: an event stream, or a waiting call. */
export type PlaceKind = "stream" | "call";

/** Limits event streams and waiting calls together, in all and by address. */
export class Places {
	readonly #limiter = new FairLimiter({ running: MAX_IN_ALL });
	readonly #maxOfAddress: number;

	/** @param isLimited whether there is a limit for each address */
	constructor(isLimited: boolean) {
		this.#maxOfAddress = isLimited ? MAX_OF_ADDRESS : Number.POSITIVE_INFINITY;
	}

	/** The number of streams and of waiting calls. */
	get taken(): Readonly<Record<PlaceKind, number>> {
		const { stream, call } = keys;
		return {
			stream: this.#limiter.running(stream.key),
			call: this.#limiter.running(call.key),
		};
	}

	/**
	 * Takes a place.
	 * @param address the key by which limits count the caller's address
	 * @returns frees the place; further calls have no effect
	 * @throws ResortError `rate_limited` when the address has too many, `unavailable` when all are taken
	 */
	take(kind: PlaceKind, address: string): () => void {
		try {
			const ofAddress = { key: address, limit: this.#maxOfAddress };
			return this.#limiter.tryAcquire({
				lane: address,
				limits: [ofAddress, keys[kind]],
			});
		} catch (error) {
			if (!(error instanceof LimitExceeded)) throw error;
			const isOwn = error.full === "key";
			throw new ResortError(
				isOwn ? "rate_limited" : "unavailable",
				"Too many waiting calls and streams",
				{
					hint: isOwn
						? `An address has ${MAX_OF_ADDRESS} at a time: GET /api/agents/status waits for up to 100 agents at once, and one stream of GET /api/events tells of all.`
						: `The instance has ${MAX_IN_ALL} at a time; ask without waiting meanwhile.`,
					retryAfterSeconds: RETRY_SECONDS,
				},
			);
		}
	}
}

/** Counted for the metrics, without a limit of their own. */
const keys = {
	stream: { key: "stream", limit: Number.POSITIVE_INFINITY },
	call: { key: "call", limit: Number.POSITIVE_INFINITY },
} as const;
