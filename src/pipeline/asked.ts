/** How many questions are remembered at least. */
const COUNT = 4_096;

/** Remembers which questions were asked of late, by their hashes. */
export class Asked {
	#younger = new Set<bigint>();
	#elder = new Set<bigint>();

	/** Whether a question was asked before; it has been from now on. */
	before(question: string): boolean {
		const hash = Bun.hash.wyhash(question);
		const isKnown = this.#younger.has(hash) || this.#elder.has(hash);
		if (this.#younger.size >= COUNT) {
			this.#elder = this.#younger;
			this.#younger = new Set();
		}
		this.#younger.add(hash);
		return isKnown;
	}
}
