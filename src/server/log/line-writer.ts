import { write } from "node:fs";
import { promisify } from "node:util";
import { SECOND_MS } from "../../lib/clock.ts";
import { codeOf } from "../../lib/error-reason.ts";

/** How many characters may wait to be written; as many again may be in the write in progress. */
const MAX_WAITING = 1024 * 1024;

/** How long lines are collected before they are written together. */
const COLLECT_MS = 20;

/** The delay before a failed write is retried: the reader is slow, or there is none. */
const SLOW_MS = 10;
const FAILED_MS = SECOND_MS;

/** How long {@link LineWriter.close} waits. */
const CLOSE_MS = SECOND_MS;

const writeBytes = promisify(write);

/**
 * Writes lines to a file descriptor in order, and never makes the program wait for a reader: one write is in progress
 * at a time, and lines wait until there are too many of them. Further lines are dropped, and a line with their number
 * takes their place.
 */
export class LineWriter {
	readonly #descriptor: number;
	readonly #describeDropped: (count: number) => string;
	#waiting = "";
	/** The number of lines dropped after the waiting ones. */
	#droppedNow = 0;
	#droppedBefore = 0;
	#isScheduled = false;
	#isWriting = false;
	#isClosing = false;
	readonly #closed = Promise.withResolvers<void>();

	/** @param describeDropped returns the line, with its line break, that reports dropped lines */
	constructor(descriptor: number, describeDropped: (count: number) => string) {
		this.#descriptor = descriptor;
		this.#describeDropped = describeDropped;
	}

	/** The number of dropped lines. */
	get dropped(): number {
		return this.#droppedBefore + this.#droppedNow;
	}

	/** Adds a line, which is written within milliseconds. */
	add(line: string): void {
		if (
			this.#droppedNow > 0 ||
			this.#waiting.length + line.length > MAX_WAITING
		) {
			this.#droppedNow++;
			return;
		}
		this.#waiting += line;
		if (this.#isScheduled || this.#isWriting) return;
		this.#isScheduled = true;
		setTimeout(() => this.#writeAll(), COLLECT_MS);
	}

	/** Waits until all lines are written: a second at most, and not at all without a reader. */
	async close(): Promise<void> {
		this.#isClosing = true;
		const timeout = setTimeout(() => this.#closed.resolve(), CLOSE_MS);
		this.#writeAll();
		await this.#closed.promise;
		clearTimeout(timeout);
	}

	async #writeAll(): Promise<void> {
		this.#isScheduled = false;
		if (this.#isWriting) return;
		this.#isWriting = true;
		while (this.#waiting !== "") await this.#writeChunk(this.#takeWaiting());
		this.#isWriting = false;
		if (this.#isClosing) this.#closed.resolve();
	}

	#takeWaiting(): Buffer {
		const dropped =
			this.#droppedNow === 0 ? "" : this.#describeDropped(this.#droppedNow);
		const chunk = Buffer.from(this.#waiting + dropped);
		this.#waiting = "";
		this.#droppedBefore += this.#droppedNow;
		this.#droppedNow = 0;
		return chunk;
	}

	async #writeChunk(chunk: Buffer): Promise<void> {
		for (let at = 0; at < chunk.length; ) {
			try {
				const rest = chunk.subarray(at);
				at += (await writeBytes(this.#descriptor, rest)).bytesWritten;
			} catch (error) {
				const isSlow = codeOf(error) === "EAGAIN";
				if (this.#isClosing && !isSlow) this.#closed.resolve();
				await Bun.sleep(isSlow ? SLOW_MS : FAILED_MS);
			}
		}
	}
}
