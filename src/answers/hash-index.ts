/** A slot is two numbers: the hash, and the place, which is 0 in a free one. */
const WIDTH = 2;

const FEWEST = 1024;

/**
 * Tells where things are by the hashes of their names, in one array, so that a million of them are one object
 * to the collector of garbage. Linear probing; a slot that is freed is closed by those behind it.
 *
 * A hash may belong to several names: walk them by {@link first} and {@link next} and compare the names.
 */
export class HashIndex {
	#slots = new Uint32Array(FEWEST * WIDTH);
	#mask = FEWEST - 1;
	#size = 0;

	/** How many places it holds. */
	get size(): number {
		return this.#size;
	}

	/** @returns the first slot of a hash, or -1 */
	first(hash: number): number {
		return this.#from(hash & this.#mask, hash);
	}

	/** @returns the next slot of the same hash, or -1; only while nothing is added or removed */
	next(slot: number, hash: number): number {
		return this.#from((slot + 1) & this.#mask, hash);
	}

	placeAt(slot: number): number {
		return this.#slots[slot * WIDTH + 1] ?? 0;
	}

	/** Something has been moved to another place. */
	moveTo(slot: number, place: number): void {
		this.#slots[slot * WIDTH + 1] = place;
	}

	/**
	 * @returns the slot of a place
	 * @throws RangeError when it is not in it
	 */
	slotOf(hash: number, place: number): number {
		for (let slot = this.first(hash); slot >= 0; slot = this.next(slot, hash)) {
			if (this.placeAt(slot) === place) return slot;
		}
		throw new RangeError(`no place ${place}`);
	}

	/**
	 * @param hash 0 to 2^32 - 1
	 * @param place 1 to 2^32 - 1
	 */
	add(hash: number, place: number): void {
		if (this.#size >= this.#mask / 2) this.#grow();
		this.#put(hash, place);
		this.#size++;
	}

	remove(slot: number): void {
		const slots = this.#slots;
		const mask = this.#mask;
		let gap = slot;
		let at = gap;
		for (;;) {
			at = (at + 1) & mask;
			if (slots[at * WIDTH + 1] === 0) break;
			const home = (slots[at * WIDTH] ?? 0) & mask;
			const mayMove = ((at - home) & mask) >= ((at - gap) & mask);
			if (!mayMove) continue;
			slots.copyWithin(gap * WIDTH, at * WIDTH, (at + 1) * WIDTH);
			gap = at;
		}
		slots[gap * WIDTH + 1] = 0;
		this.#size--;
	}

	#from(start: number, hash: number): number {
		const slots = this.#slots;
		let slot = start;
		while (slots[slot * WIDTH + 1] !== 0) {
			if (slots[slot * WIDTH] === hash) return slot;
			slot = (slot + 1) & this.#mask;
		}
		return -1;
	}

	#put(hash: number, place: number): void {
		const slots = this.#slots;
		let slot = hash & this.#mask;
		while (slots[slot * WIDTH + 1] !== 0) slot = (slot + 1) & this.#mask;
		slots[slot * WIDTH] = hash;
		slots[slot * WIDTH + 1] = place;
	}

	#grow(): void {
		const old = this.#slots;
		this.#slots = new Uint32Array(old.length * 2);
		this.#mask = this.#mask * 2 + 1;
		for (let at = 0; at < old.length; at += WIDTH) {
			const place = old[at + 1] ?? 0;
			if (place !== 0) this.#put(old[at] ?? 0, place);
		}
	}
}

/** FNV-1a of the units of a text (draft-eastlake-fnv), in 32 bits, its high bits mixed into the low ones. */
export function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) {
		hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	}
	return (hash ^ (hash >>> 15)) >>> 0;
}
