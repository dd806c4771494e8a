import { ResortError } from "../lib/resort-error.ts";

/** How many calls that wait and streams there may be at a time. */
const MAX_OF_ADDRESS = 30;
const MAX_IN_ALL = 10_000;

/** When those who were refused may try again: nobody knows when a place gets free. */
const RETRY_SECONDS = 5;

/** What has a place: a stream of events, or a call that waits. */
export type PlaceKind = "stream" | "call";

/** The places for whatever stays open for long. */
export class Places {
	readonly #byAddress = new Map<string, number>();
	readonly #taken: Record<PlaceKind, number> = { stream: 0, call: 0 };

	/** @param isLimited whether there is a bound for each address */
	constructor(readonly isLimited: boolean) {}

	/** How many are taken. */
	get taken(): Readonly<Record<PlaceKind, number>> {
		return this.#taken;
	}

	/**
	 * Takes a place.
	 * @param address the key by which limits count the caller's address
	 * @returns gives it back; more than once does no harm
	 * @throws ResortError `rate_limited` when the address has too many, `unavailable` when all are taken
	 */
	take(kind: PlaceKind, address: string): () => void {
		const ofAddress = this.#byAddress.get(address) ?? 0;
		if (this.isLimited && ofAddress >= MAX_OF_ADDRESS) {
			throw new ResortError(
				"rate_limited",
				"Too many waiting calls and streams",
				{
					hint: `An address has ${MAX_OF_ADDRESS} at a time: GET /api/agents/status waits for up to 100 agents at once, and one stream of GET /api/events tells of all.`,
					retryAfterSeconds: RETRY_SECONDS,
				},
			);
		}
		if (this.#taken.stream + this.#taken.call >= MAX_IN_ALL) {
			throw new ResortError(
				"unavailable",
				"Too many waiting calls and streams",
				{
					hint: `The instance has ${MAX_IN_ALL} at a time; ask without waiting meanwhile.`,
					retryAfterSeconds: RETRY_SECONDS,
				},
			);
		}
		this.#taken[kind]++;
		this.#byAddress.set(address, ofAddress + 1);
		let isTaken = true;
		return () => {
			if (!isTaken) return;
			isTaken = false;
			this.#taken[kind]--;
			const left = (this.#byAddress.get(address) ?? 1) - 1;
			if (left === 0) this.#byAddress.delete(address);
			else this.#byAddress.set(address, left);
		};
	}
}
