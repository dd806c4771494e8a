/** What tells two tables apart. */
export interface Summary {
	readonly rows: number;
	/** SHA-256 of all rows in the order of their keys, in base64. */
	readonly sha256: string;
}

/** Sums up the rows of a table as they come. */
export class Summing {
	rows = 0;
	readonly #hash = new Bun.CryptoHasher("sha256");

	/**
	 * @param count of the next rows
	 * @param json an array of them
	 */
	add(count: number, json: string): void {
		this.rows += count;
		// Without its brackets, so that it does not matter how many rows come at a time.
		this.#hash.update(`${json.slice(1, -1)},`);
	}

	/** To be asked once, after all rows. */
	end(): Summary {
		return { rows: this.rows, sha256: this.#hash.digest("base64") };
	}
}
