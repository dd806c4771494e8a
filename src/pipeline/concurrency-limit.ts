import { FairLimiter, LimitExceeded } from "../lib/fair-limiter.ts";
import { ResortError } from "../lib/resort-error.ts";

const MAX_OF_ADDRESS = 30;
const MAX_IN_ALL = 10_000;

/** It is unknown when a slot becomes free. */
const RETRY_SECONDS = 5;

/** Counted for the metrics, without a limit of their own. */
const kinds = {
	stream: { key: "stream", limit: Number.POSITIVE_INFINITY },
	call: { key: "call", limit: Number.POSITIVE_INFINITY },
} as const;

/** Limits event streams and waiting calls together, in all and by address. */
export class ConcurrencyLimit {
	readonly #limiter = new FairLimiter({ running: MAX_IN_ALL });
	readonly #maxOfAddress: number;

	/** @param isLimited whether there is a limit for each address */
	constructor(isLimited: boolean) {
		this.#maxOfAddress = isLimited ? MAX_OF_ADDRESS : Number.POSITIVE_INFINITY;
	}

	/** The number of open streams and of waiting calls. */
	get open(): Readonly<Record<keyof typeof kinds, number>> {
		const { stream, call } = kinds;
		return {
			stream: this.#limiter.running(stream.key),
			call: this.#limiter.running(call.key),
		};
	}

	/**
	 * Takes a slot.
	 * @param address the key by which limits count the client's address
	 * @returns releases the slot; further calls have no effect
	 * @throws ResortError `rate_limited` if the address has too many, `unavailable` if all are taken
	 */
	acquire(kind: keyof typeof kinds, address: string): () => void {
		try {
			return this.#limiter.tryAcquire({
				lanes: [{ key: address, limit: this.#maxOfAddress }],
				limits: [kinds[kind]],
			});
		} catch (error) {
			if (!(error instanceof LimitExceeded)) throw error;
			const isOwn = error.full === "key";
			throw new ResortError(
				isOwn ? "rate_limited" : "unavailable",
				"Too many waiting calls and streams",
				{
					hint: isOwn
						? `An address may have ${MAX_OF_ADDRESS} at a time: GET /api/agents/status waits for up to 100 agents at once, and one stream of GET /api/events carries all events.`
						: `The instance allows ${MAX_IN_ALL} at a time; for now, call without wait.`,
					retryAfterSeconds: RETRY_SECONDS,
				},
			);
		}
	}
}
