import type { Random } from "../../core/lib/random.ts";

/** The maximum seed. */
export const MAX_SEED = 2 ** 32 - 1;

/** The time in the first id that is drawn. The time in each further id is one millisecond later. */
const FIRST_ID_MS = Date.UTC(2026, 0, 1);

const BLOCK_LENGTH = 32;

/** A random generator that depends only on a seed and can be rewound. */
export interface SeededRandom extends Random {
	/**
	 * Marks the current position of the generator.
	 * @returns a function that rewinds the generator to this position; it can be called repeatedly
	 */
	mark(): () => void;
}

/**
 * Creates a random generator for reproducible tests. Its bytes are the SHA-256 hashes of the seed and a
 * counter, so anyone who knows the seed can compute every secret. Ids ascend; they contain artificial times,
 * because the actual time differs between runs.
 * @param seed an integer from 0 to {@link MAX_SEED}, or any text
 */
export function seededRandom(seed: number | string): SeededRandom {
	let drawn = { bytes: 0, ids: 0 };
	let block = { number: -1, bytes: new Uint8Array() };
	const nextByte = () => {
		const number = Math.floor(drawn.bytes / BLOCK_LENGTH);
		if (number !== block.number) {
			const hash = new Bun.CryptoHasher("sha256").update(`${seed}:${number}`);
			block = { number, bytes: new Uint8Array(hash.digest()) };
		}
		return block.bytes[drawn.bytes++ % BLOCK_LENGTH] ?? 0;
	};
	const bytes = (length: number) => Uint8Array.from({ length }, nextByte);
	const hex = (length: number) => bytes(length).toHex();
	return {
		bytes,
		below: (bound) => Math.floor((Number.parseInt(hex(4), 16) / 2 ** 32) * bound),
		uuid() {
			const time = (FIRST_ID_MS + drawn.ids++).toString(16).padStart(12, "0");
			const rest = hex(9);
			const digits = `${time}7${rest.slice(0, 3)}8${rest.slice(3)}`;
			return digits.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
		},
		mark() {
			const then = { ...drawn };
			return () => {
				drawn = { ...then };
			};
		},
	};
}
