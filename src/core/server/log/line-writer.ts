import { SECOND_MS } from "../../lib/clock.ts";

/** The maximum number of characters in the queue. A write in progress does not count. */
const MAX_WAITING = 1024 * 1024;

/** The time for which lines are collected before they are written together. */
const COLLECT_MS = 20;

/** The delay before a failed write is retried. */
const RETRY_MS = SECOND_MS;

/** The time limit of {@link LineWriter.close}. */
const CLOSE_MS = SECOND_MS;

/**
 * Writes lines to a file descriptor in order, and never waits for the reader. If the queue in memory is full,
 * lines are dropped, and one line with their number is written in their place.
 */
export class LineWriter {
	readonly #sink: Bun.FileSink;
	/** The number of dropped lines. */
	dropped = 0;
	/** How many of the dropped lines have been reported. */
	#reported = 0;
	#waiting = "";
	#writing: Promise<void> | null = null;
	#isClosing = false;

	/** @param describeDropped returns the line, including its line break, that reports dropped lines */
	constructor(
		descriptor: number,
		private readonly describeDropped: (count: number) => string,
	) {
		this.#sink = Bun.file(descriptor).writer();
	}

	/** Adds a line to the queue. It is written within milliseconds, unless the reader is too slow. */
	add(line: string): void {
		const length = this.#waiting.length + line.length;
		// After a dropped line, drops all lines until the report is written, so that it stands in their place.
		if (this.dropped > this.#reported || length > MAX_WAITING) {
			this.dropped++;
			return;
		}
		this.#waiting += line;
		this.#writing ??= this.#write();
	}

	/** Waits until the queued lines are written, but at most one second. A failed write is not retried. */
	async close(): Promise<void> {
		this.#isClosing = true;
		const { promise: timeout, resolve } = Promise.withResolvers<void>();
		const timer = setTimeout(resolve, CLOSE_MS);
		await Promise.race([this.#writing, timeout]);
		// A pending timer would delay the end of the program.
		clearTimeout(timer);
	}

	async #write(): Promise<void> {
		await Bun.sleep(COLLECT_MS);
		while (this.#waiting !== "") {
			const unreported = this.dropped - this.#reported;
			const chunk = this.#waiting + (unreported === 0 ? "" : this.describeDropped(unreported));
			this.#waiting = "";
			this.#reported = this.dropped;
			try {
				await this.#sink.write(chunk);
				await this.#sink.flush();
			} catch {
				this.#waiting = chunk + this.#waiting;
				if (this.#isClosing) return;
				await Bun.sleep(RETRY_MS);
			}
		}
		this.#writing = null;
	}
}
