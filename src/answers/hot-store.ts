/** What is counted of a value that is kept. */
interface Sized {
	readonly size: number;
}

/**
 * A bounded store of what is asked for often. Values live in two generations: whatever is found moves to the
 * younger one; when that is full, the elder one, for which nobody has asked since, is forgotten.
 */
export class HotStore<V extends Sized> {
	readonly #maxCount: number;
	readonly #maxBytes: number;
	#younger = new Map<string, V>();
	#elder = new Map<string, V>();
	#bytes = 0;

	/** The bounds are those of both generations together. */
	constructor(maxCount: number, maxBytes: number) {
		this.#maxCount = maxCount / 2;
		this.#maxBytes = maxBytes / 2;
	}

	/** How many values are kept. */
	get count(): number {
		return this.#younger.size + this.#elder.size;
	}

	get(key: string): V | undefined {
		const young = this.#younger.get(key);
		if (young !== undefined) return young;
		const old = this.#elder.get(key);
		if (old !== undefined) {
			this.#elder.delete(key);
			this.set(key, old);
		}
		return old;
	}

	/** Keeps a value in place of the one before; not one that would fill a generation by itself. */
	set(key: string, value: V): void {
		this.delete(key);
		const bytes = sizeOf(key, value);
		if (bytes > this.#maxBytes) return;
		const isFull =
			this.#younger.size >= this.#maxCount ||
			this.#bytes + bytes > this.#maxBytes;
		if (isFull) {
			this.#elder = this.#younger;
			this.#younger = new Map();
			this.#bytes = 0;
		}
		this.#younger.set(key, value);
		this.#bytes += bytes;
	}

	delete(key: string): void {
		const young = this.#younger.get(key);
		if (young === undefined) {
			this.#elder.delete(key);
			return;
		}
		this.#younger.delete(key);
		this.#bytes -= sizeOf(key, young);
	}

	clear(): void {
		this.#younger = new Map();
		this.#elder = new Map();
		this.#bytes = 0;
	}
}

/** What a value costs beside its key and its bytes; some 700 were measured. */
const COST_BYTES = 700;

function sizeOf(key: string, value: Sized): number {
	return key.length + value.size + COST_BYTES;
}
