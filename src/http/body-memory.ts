import {
	FairLimiter,
	LimitExceeded,
	type Release,
} from "../lib/fair-limiter.ts";
import { networkSlot } from "../lib/network-limits.ts";
import { ResortError } from "../lib/resort-error.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Of the bodies that are being received; a /56 and a /48 may have more than another network. */
const MAX_BYTES = { network: MIB, total: 128 * MIB };

/** The largest body that is read. */
export const MAX_BODY_BYTES = 64 * KIB;

/** The bodies of nearly all calls are smaller, and arrive together with their heads. */
const SMALL_BYTES = 16 * KIB;

/** It is unknown when other bodies are complete. */
const RETRY_SECONDS = 5;

/** Bounds the memory of request bodies that are being received, in all and by network. */
export class BodyMemory {
	readonly #limiter = new FairLimiter({ running: MAX_BYTES.total });
	readonly #maxOfNetwork: number;

	/** @param isLimited whether there is a bound for each network */
	constructor(isLimited: boolean) {
		this.#maxOfNetwork = isLimited
			? MAX_BYTES.network
			: Number.POSITIVE_INFINITY;
	}

	/**
	 * Receives a body. A small one is counted only if it has not arrived together with its head.
	 * @param read begins to read it
	 * @param length in bytes, as declared; null if it is unknown
	 * @param address returns the key by which limits count the client's address
	 * @throws ResortError `unavailable` if too much is being received
	 */
	async receive<T>(
		read: () => Promise<T>,
		length: number | null,
		address: () => string,
	): Promise<T> {
		if (length !== null && length > SMALL_BYTES) {
			const release = this.#acquire(length, address());
			return read().finally(release);
		}
		return new Promise((resolve, reject) => {
			let release: Release = () => {};
			// The runtime delivers what has arrived before.
			const counting = setImmediate(() => {
				try {
					release = this.#acquire(length ?? MAX_BODY_BYTES, address());
				} catch (error) {
					reject(error);
				}
			});
			const end = () => {
				clearImmediate(counting);
				release();
			};
			read().then(resolve, reject).finally(end);
		});
	}

	#acquire(weight: number, address: string): Release {
		try {
			const slot = networkSlot(address, this.#maxOfNetwork);
			return this.#limiter.tryAcquire({ ...slot, weight });
		} catch (error) {
			if (!(error instanceof LimitExceeded)) throw error;
			throw new ResortError("unavailable", "Too many requests are incomplete", {
				hint: "Send each request at once, with its whole body.",
				retryAfterSeconds: RETRY_SECONDS,
				closesConnection: true,
			});
		}
	}
}
