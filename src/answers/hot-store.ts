/** A value that a {@link HotStore} keeps. */
interface Keepable {
	/** Bytes that it may come to hold. */
	readonly size: number;
	/** Whether it was asked for since the store last looked for one to forget. */
	isHot: boolean;
}

/** The most values that get a second chance while room is made for one, so that no call waits for long. */
const MAX_CHANCES = 64;

/**
 * A bounded store of what is asked for often. When it is full, the oldest value that nobody has asked for is
 * forgotten first (the clock algorithm): a value that was asked for gets a second chance behind all others.
 */
export class HotStore<V extends Keepable> {
	readonly #maxCount: number;
	readonly #maxBytes: number;
	/** The oldest first. */
	readonly #values = new Map<string, V>();
	/** Stands before the oldest: to begin anew each time, the runtime would pass over all that was deleted since. */
	#hand = this.#values.entries();
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

	#makeRoom(bytes: number): void {
		let chances = MAX_CHANCES;
		while (
			this.#values.size >= this.#maxCount ||
			this.#bytes + bytes > this.#maxBytes
		) {
			const next = this.#hand.next();
			if (next.done) {
				this.#hand = this.#values.entries();
				continue;
			}
			const [key, value] = next.value;
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
