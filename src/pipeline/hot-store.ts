/** A value that a {@link HotStore} keeps. */
interface Keepable {
	/** Bytes that it may come to hold. */
	readonly size: number;
	/** Whether it was asked for since the store last looked for one to forget. */
	isHot: boolean;
}

/** The most values that get a second chance each time room is made: some 1 ms. */
const MAX_CHANCES = 1_000;

/** Room is made for one part in so many of the whole store. */
const PARTS = 256;

/**
 * A bounded store of what is asked for often. When it is full, the oldest value that nobody has asked for is
 * forgotten first (the clock algorithm): a value that was asked for gets a second chance behind all others.
 */
export class HotStore<V extends Keepable> {
	readonly #maxCount: number;
	readonly #maxBytes: number;
	/** The oldest first. */
	readonly #values = new Map<string, V>();
	#bytes = 0;

	/** @param maxBytes of keys and values; some 350 bytes a value come on top */
	constructor(maxCount: number, maxBytes: number) {
		this.#maxCount = maxCount;
		this.#maxBytes = maxBytes;
	}

	/** How many values are kept. */
	get count(): number {
		return this.#values.size;
	}

	get(key: string): V | undefined {
		const value = this.#values.get(key);
		if (value !== undefined) value.isHot = true;
		return value;
	}

	/** Keeps a value in place of the one before; not one that is larger than the whole store. */
	set(key: string, value: V): void {
		this.delete(key);
		const bytes = bytesOf(key, value);
		if (bytes > this.#maxBytes) return;
		this.#makeRoom(bytes);
		this.#values.set(key, value);
		this.#bytes += bytes;
	}

	delete(key: string): void {
		const value = this.#values.get(key);
		if (value === undefined) return;
		this.#values.delete(key);
		this.#bytes -= bytesOf(key, value);
	}

	clear(): void {
		this.#values.clear();
		this.#bytes = 0;
	}

	/**
	 * Makes room for a value, and for some more of them at the same time: to find the oldest, the runtime passes over
	 * all that was deleted since it last rebuilt the map.
	 */
	#makeRoom(bytes: number): void {
		const leaves = (count: number, most: number) =>
			this.#values.size < count && this.#bytes + bytes <= most;
		if (leaves(this.#maxCount, this.#maxBytes)) return;
		const count = this.#maxCount - Math.floor(this.#maxCount / PARTS);
		const most = this.#maxBytes - Math.floor(this.#maxBytes / PARTS);
		let chances = MAX_CHANCES;
		for (const [key, value] of this.#values) {
			if (leaves(count, most)) return;
			this.#values.delete(key);
			if (value.isHot && chances-- > 0) {
				value.isHot = false;
				this.#values.set(key, value);
			} else {
				this.#bytes -= bytesOf(key, value);
			}
		}
	}
}

function bytesOf(key: string, { size }: Keepable): number {
	return key.length + size;
}
