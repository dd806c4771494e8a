import { write } from "node:fs";
import { SECOND_MS } from "../../lib/clock.ts";

/** How much text may wait to be written, in characters; as much again may be in the hands of the system. */
const MAX_WAITING = 1024 * 1024;

/** Lines are gathered for so long and written at once. */
const GATHER_MS = 20;

/** How long to wait before a write that failed is tried again: the reader is slow, or there is none. */
const SLOW_MS = 10;
const FAILED_MS = SECOND_MS;

/** How long the last lines may take. */
const CLOSE_MS = SECOND_MS;

/**
 * Writes lines to a file descriptor, in their order, and never lets the program wait for a reader: one
 * write at a time is handed to the system, and what arrives meanwhile is kept until there is too much of it.
 * From then on lines are dropped; a line in their place tells how many.
 */
export class LineWriter {
	readonly #descriptor: number;
	readonly #describeDropped: (count: number) => string;
	#waiting = "";
	/** How many lines have been dropped after those that wait. */
	#droppedNow = 0;
	#droppedBefore = 0;
	#gathering = false;
	#writing = false;
	#isClosing = false;
	readonly #closed = Promise.withResolvers<void>();

	/** @param describeDropped the line, with its end, that tells how many were dropped */
	constructor(descriptor: number, describeDropped: (count: number) => string) {
		this.#descriptor = descriptor;
		this.#describeDropped = describeDropped;
	}

	/** How many lines have been dropped. */
	get dropped(): number {
		return this.#droppedBefore + this.#droppedNow;
	}

	/** Writes a line soon. */
	add(line: string): void {
		if (
			this.#droppedNow > 0 ||
			this.#waiting.length + line.length > MAX_WAITING
		) {
			this.#droppedNow++;
			return;
		}
		this.#waiting += line;
		if (this.#gathering || this.#writing) return;
		this.#gathering = true;
		setTimeout(() => this.#writeAll(), GATHER_MS);
	}

	/** Waits until every line is written, but not for ever: a second at most, not at all without a reader. */
	async close(): Promise<void> {
		this.#isClosing = true;
		const late = setTimeout(() => this.#closed.resolve(), CLOSE_MS);
		this.#writeAll();
		await this.#closed.promise;
		clearTimeout(late);
	}

	async #writeAll(): Promise<void> {
		this.#gathering = false;
		if (this.#writing) return;
		this.#writing = true;
		while (this.#waiting !== "") await this.#writeChunk(this.#take());
		this.#writing = false;
		if (this.#isClosing) this.#closed.resolve();
	}

	#take(): Buffer {
		const told =
			this.#droppedNow === 0 ? "" : this.#describeDropped(this.#droppedNow);
		const chunk = Buffer.from(this.#waiting + told);
		this.#waiting = "";
		this.#droppedBefore += this.#droppedNow;
		this.#droppedNow = 0;
		return chunk;
	}

	async #writeChunk(chunk: Buffer): Promise<void> {
		for (let at = 0; at < chunk.length; ) {
			const { written, code } = await this.#write(chunk.subarray(at));
			at += written;
			if (code === null) continue;
			const isSlow = code === "EAGAIN";
			if (this.#isClosing && !isSlow) this.#closed.resolve();
			await Bun.sleep(isSlow ? SLOW_MS : FAILED_MS);
		}
	}

	#write(bytes: Buffer): Promise<{ written: number; code: string | null }> {
		return new Promise((resolve) => {
			write(this.#descriptor, bytes, (error, written) =>
				resolve(
					error === null
						? { written, code: null }
						: { written: 0, code: error.code ?? "" },
				),
			);
		});
	}
}
