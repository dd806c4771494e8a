import { sha256 } from "./credential.ts";
import type { Random } from "./random.ts";

/** The highest seed. */
export const MAX_SEED = 2 ** 32 - 1;

/**
 * Chance that is the same for the same seed, for tests that want to see the same thing at each run:
 * its bytes are SHA-256 of the seed and a counter. Who knows the seed knows every secret.
 * @param seed a whole number from 0 to {@link MAX_SEED}
 */
export function seededRandom(seed: number): Random {
	let blocks = 0;
	let block: Uint8Array = new Uint8Array();
	let used = 0;
	const nextByte = () => {
		if (used === block.length) {
			block = sha256(`${seed}:${blocks++}`);
			used = 0;
		}
		return block[used++] ?? 0;
	};
	const bytes = (length: number) => Uint8Array.from({ length }, nextByte);
	const hex = (length: number) => bytes(length).toHex();
	// Below 2^31, so that the 32 bits that it has in a UUID last.
	let sequence = Number.parseInt(hex(4), 16) >>> 1;
	return {
		bytes,
		below: (bound) =>
			Math.floor((Number.parseInt(hex(4), 16) / 2 ** 32) * bound),
		// The sequence (RFC 9562, 6.2, method 1) goes on over the milliseconds: would it begin anew in each,
		// the same run would give other ids on a slower machine.
		uuid(timeMs) {
			const time = timeMs.toString(16).padStart(12, "0");
			const order = (sequence++).toString(16).padStart(8, "0");
			return [
				time.slice(0, 8),
				time.slice(8),
				`7${order.slice(0, 3)}`,
				`8${order.slice(3, 6)}`,
				order.slice(6) + hex(5),
			].join("-");
		},
	};
}
