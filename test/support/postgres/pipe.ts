import type { Socket } from "bun";

/** How much waits in a pipe before its source is paused, in bytes. */
const CAPACITY_BYTES = 1_048_576;

/** What comes from a connection: bytes, the end of them, or its loss, after which nothing can be answered. */
export type Piece = Buffer | "end" | "loss";

/** What a pipe asks before it passes anything on. */
export interface Passage {
	/** Whether anything is passed on just now. */
	readonly isOpen: boolean;
	/** How long each piece waits, in milliseconds. */
	readonly delayMs: number;
}

/** The two sides of a pipe. */
export interface Ends {
	/** Is paused while too much waits; undefined until there is a connection. */
	source(): Socket<unknown> | undefined;
	/** Takes the bytes. */
	target(): Socket<unknown> | undefined;
	/** Is called when the end or the loss has been passed on. */
	onOver(piece: "end" | "loss"): void;
}

/**
 * One direction of a connection: passes on what comes, in its order, no sooner than the delay says, and no faster
 * than it is read.
 */
export class Pipe {
	readonly #waiting: { readonly dueMs: number; piece: Piece }[] = [];
	#waitingBytes = 0;
	#isPaused = false;
	#hasEnd = false;
	#timer: Timer | undefined;

	constructor(
		private readonly ends: Ends,
		private readonly passage: Passage,
	) {}

	/** Takes what came from the source; a second end is none. */
	push(piece: Piece): void {
		if (piece === "end" && this.#hasEnd) return;
		this.#hasEnd ||= piece === "end";
		const dueMs = performance.now() + this.passage.delayMs;
		this.#waiting.push({ dueMs, piece });
		if (typeof piece !== "string") this.#waitingBytes += piece.length;
		this.flush();
		if (this.#isPaused || this.#waitingBytes <= CAPACITY_BYTES) return;
		this.#isPaused = true;
		this.ends.source()?.pause();
	}

	/** Passes on what is due, as far as the target takes it. Call it when something has changed. */
	flush(): void {
		clearTimeout(this.#timer);
		const target = this.ends.target();
		if (target === undefined || !this.passage.isOpen) return;
		for (let head = this.#waiting[0]; head; head = this.#waiting[0]) {
			const waitMs = head.dueMs - performance.now();
			if (waitMs > 0) {
				this.#timer = setTimeout(() => this.flush(), waitMs);
				return;
			}
			const { piece } = head;
			if (typeof piece === "string") {
				this.#waiting.shift();
				this.ends.onOver(piece);
				continue;
			}
			const written = Math.max(0, target.write(piece));
			this.#passed(written);
			head.piece = piece.subarray(written);
			// The rest goes when the target has room.
			if (written < piece.length) return;
			this.#waiting.shift();
		}
	}

	/** Drops what waits. */
	stop(): void {
		clearTimeout(this.#timer);
		this.#waiting.length = 0;
	}

	#passed(bytes: number): void {
		this.#waitingBytes -= bytes;
		if (!this.#isPaused || this.#waitingBytes > CAPACITY_BYTES) return;
		this.#isPaused = false;
		this.ends.source()?.resume();
	}
}
