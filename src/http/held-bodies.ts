/** How many bytes of bodies may be held, for one address and in all. */
export interface Bounds {
	readonly addressBytes: number;
	readonly totalBytes: number;
}

/** Bodies that are held, each with how many answers hold it. */
class Held {
	readonly #holders = new Map<Blob, number>();
	bytes = 0;

	/** How many more bytes are held when an answer holds this body. */
	growth(body: Blob): number {
		return this.#holders.has(body) ? 0 : body.size;
	}

	add(body: Blob): void {
		this.bytes += this.growth(body);
		this.#holders.set(body, (this.#holders.get(body) ?? 0) + 1);
	}

	remove(body: Blob): void {
		const left = (this.#holders.get(body) ?? 0) - 1;
		if (left > 0) {
			this.#holders.set(body, left);
		} else if (this.#holders.delete(body)) {
			this.bytes -= body.size;
		}
	}
}

/**
 * Counts the bytes of the bodies that unfinished answers hold. A body is one object that all its readers share,
 * so it counts once for an address and once in all, whatever the number of its readers.
 */
export class HeldBodies {
	readonly #bounds: Bounds;
	readonly #all = new Held();
	readonly #byAddress = new Map<string, Held>();

	constructor(bounds: Bounds) {
		this.#bounds = bounds;
	}

	/** How many bytes are held in all. */
	get bytes(): number {
		return this.#all.bytes;
	}

	/** How many addresses hold any. */
	get addresses(): number {
		return this.#byAddress.size;
	}

	/** Whether a further answer to an address would pass its bound. */
	passesAddress(address: string, body: Blob): boolean {
		const own = this.#byAddress.get(address);
		const bytes = own ? own.bytes + own.growth(body) : body.size;
		return bytes > this.#bounds.addressBytes;
	}

	/** Whether a further answer to anyone would pass the bound of all. */
	passesTotal(body: Blob): boolean {
		return this.bytes + this.#all.growth(body) > this.#bounds.totalBytes;
	}

	/** Counts an answer, whether it fits or not. */
	add(address: string, body: Blob): void {
		let own = this.#byAddress.get(address);
		if (own === undefined) {
			own = new Held();
			this.#byAddress.set(address, own);
		}
		own.add(body);
		this.#all.add(body);
	}

	/** Counts an answer no longer: exactly once for each that was added. */
	remove(address: string, body: Blob): void {
		const own = this.#byAddress.get(address);
		if (own === undefined) return;
		own.remove(body);
		if (own.bytes === 0) this.#byAddress.delete(address);
		this.#all.remove(body);
	}
}
