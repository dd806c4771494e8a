import { AsyncLocalStorage } from "node:async_hooks";
import { PostgresFailure } from "./postgres-failure.ts";

/** How long one request may wait for the database in all. */
const REQUEST_MS = 1_900;

/** A result that did not come in time; it may still come. */
export class DeadlineExceeded extends PostgresFailure {
	constructor() {
		super(null, "no answer in time");
	}

	override get isConnectionLost(): boolean {
		return false;
	}
}

/** A time limit for several promises. */
export class Deadline {
	readonly #endMs: number;
	#timeout: PromiseWithResolvers<never> | null = null;
	#timer: Timer | null = null;

	constructor(durationMs: number) {
		this.#endMs = performance.now() + durationMs;
	}

	/** The remaining milliseconds, at least 0. */
	get leftMs(): number {
		return Math.max(0, this.#endMs - performance.now());
	}

	/**
	 * Waits for a promise until the deadline. A later result is dropped.
	 * @throws DeadlineExceeded
	 */
	limit<T>(promise: Promise<T>): Promise<T> {
		if (this.#timeout === null) {
			const timeout = Promise.withResolvers<never>();
			timeout.promise.catch(() => {});
			this.#timeout = timeout;
			this.#timer = setTimeout(
				() => timeout.reject(new DeadlineExceeded()),
				this.leftMs,
			);
		}
		return Promise.race([promise, this.#timeout.promise]);
	}

	/** Clears the timer. */
	clear(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
	}
}

/**
 * Waits for a promise for a duration. A later result is dropped.
 * @throws DeadlineExceeded
 */
export async function within<T>(
	promise: Promise<T>,
	durationMs: number,
): Promise<T> {
	const deadline = new Deadline(durationMs);
	try {
		return await deadline.limit(promise);
	} finally {
		deadline.clear();
	}
}

interface Request {
	readonly deadline: Deadline;
	/** Work that outlives the request that started it has no deadline. */
	isOver: boolean;
}

const requests = new AsyncLocalStorage<Request>();

/** Runs a request with a deadline for everything that it waits for in the database. */
export async function withDeadline<T>(run: () => T | Promise<T>): Promise<T> {
	const request = { deadline: new Deadline(REQUEST_MS), isOver: false };
	try {
		return await requests.run(request, run);
	} finally {
		request.isOver = true;
		request.deadline.clear();
	}
}

/** Runs work without the deadline of the request that started it. */
export function withoutDeadline<T>(run: () => T): T {
	return requests.exit(run);
}

/** The deadline of the current request; null outside of requests. */
export function currentDeadline(): Deadline | null {
	const request = requests.getStore();
	return request === undefined || request.isOver ? null : request.deadline;
}
