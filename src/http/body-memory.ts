import { FairLimiter, LimitExceeded, type Release } from "../lib/fair-limiter.ts";
import { networkSlot } from "../lib/network-limits.ts";
import { ResortError } from "../lib/resort-error.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The maximum number of bytes of the bodies that are currently being received: for an IPv4 address or an IPv6
 * /64 network, and in total. The IPv6 networks /56 and /48 may use more than `network` (see `networkLimits`).
 */
const MAX_BYTES = { network: MIB, total: 128 * MIB };

/** The maximum size of a request body in bytes. Larger bodies are refused. */
export const MAX_BODY_BYTES = 64 * KIB;

/**
 * A body of at most this size usually arrives together with its header fields. Nearly all bodies are this
 * small.
 */
const SMALL_BYTES = 16 * KIB;

/**
 * The delay suggested to a refused client. It is a guess, because nobody knows when the other clients have
 * sent their bodies.
 */
const RETRY_SECONDS = 5;

/** Limits the memory of request bodies that are being received, in total and for each client network. */
export class BodyMemory {
	readonly #limiter = new FairLimiter({ running: MAX_BYTES.total });
	readonly #maxOfNetwork: number;

	/** @param isLimited whether to enforce the limit for each client network */
	constructor(isLimited: boolean) {
		this.#maxOfNetwork = isLimited ? MAX_BYTES.network : Number.POSITIVE_INFINITY;
	}

	/**
	 * Receives a body. A body of at most 16 KiB or of unknown length is counted only if it does not arrive
	 * together with the header fields.
	 * @param read starts to read the body
	 * @param length the declared length in bytes; null if it is unknown
	 * @param address returns the key by which limits count the client's address
	 * @throws ResortError `unavailable` if too many bytes are being received
	 */
	async receive<T>(read: () => Promise<T>, length: number | null, address: () => string): Promise<T> {
		if (length !== null && length > SMALL_BYTES) {
			const release = this.#acquire(length, address());
			return read().finally(release);
		}
		return new Promise((resolve, reject) => {
			let release: Release = () => {};
			// Runs after the runtime has delivered the bytes that have already arrived.
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
			throw new ResortError("unavailable", "Too many incomplete requests", {
				hint: "Send each request in one piece, with its whole body.",
				retryAfterSeconds: RETRY_SECONDS,
				closesConnection: true,
			});
		}
	}
}
