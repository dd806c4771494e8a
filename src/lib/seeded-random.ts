import { sha256 } from "./credential.ts";
import type { Random } from "./random.ts";

/** The highest seed. */
export const MAX_SEED = 2 ** 32 - 1;

/** The moment in the first id of every seed; each further id is a millisecond later. */
const FIRST_ID_MS = Date.UTC(2026, 0, 1);

const BLOCK_LENGTH = 32;

/** Randomness that follows from a seed, and that can be brought back to an earlier point. */
export interface SeededRandom extends Random {
	/** @returns a function that goes back to this point, any number of times */
	mark(): () => void;
}

/**
 * Randomness that is the same for the same seed, for tests that want to see the same thing at each run: its bytes
 * are SHA-256 of the seed and a counter. Whoever knows the seed knows every secret. An id holds a moment of its own
 * instead of the one that is asked for, which would differ at each run; ids ascend.
 * @param seed a whole number from 0 to {@link MAX_SEED}
 */
export function seededRandom(seed: number): SeededRandom {
	let drawn = { bytes: 0, ids: 0 };
	let block = { number: -1, bytes: new Uint8Array() };
	const nextByte = () => {
		const number = Math.floor(drawn.bytes / BLOCK_LENGTH);
		if (number !== block.number) {
			block = { number, bytes: new Uint8Array(sha256(`${seed}:${number}`)) };
		}
		return block.bytes[drawn.bytes++ % BLOCK_LENGTH] ?? 0;
	};
	const bytes = (length: number) => Uint8Array.from({ length }, nextByte);
	const hex = (length: number) => bytes(length).toHex();
	return {
		bytes,
		below: (bound) =>
			Math.floor((Number.parseInt(hex(4), 16) / 2 ** 32) * bound),
		uuid() {
			const time = (FIRST_ID_MS + drawn.ids++).toString(16).padStart(12, "0");
			const rest = hex(9);
			return [
				time.slice(0, 8),
				time.slice(8),
				`7${rest.slice(0, 3)}`,
				`8${rest.slice(3, 6)}`,
				rest.slice(6),
			].join("-");
		},
		mark() {
			const then = { ...drawn };
			return () => {
				drawn = { ...then };
			};
		},
	};
}
