import { AsyncLocalStorage } from "node:async_hooks";
import { PostgresFailure } from "./postgres-failure.ts";

/** How long a request may wait for the database, including the check for changes by other instances. */
const REQUEST_MS = 1_800;

/** Thrown if a result does not arrive in time. The result may still arrive later. */
export class DeadlineExceeded extends PostgresFailure {
	constructor() {
		super("no response in time");
	}
}

/** A common time limit for several promises. Dispose of it to cancel the timer. */
export class Deadline implements Disposable {
	readonly #exceeded = Promise.withResolvers<never>();
	readonly #timer: Timer;
	isExceeded = false;
	isOver = false;

	constructor(durationMs: number) {
		this.#exceeded.promise.catch(() => {});
		this.#timer = setTimeout(() => {
			this.isExceeded = true;
			this.#exceeded.reject(new DeadlineExceeded());
		}, durationMs);
		this.#timer.unref();
	}

	/** Waits for a promise until the deadline, and ignores a later result. @throws DeadlineExceeded */
	limit<T>(promise: Promise<T>): Promise<T> {
		return Promise.race([promise, this.#exceeded.promise]);
	}

	[Symbol.dispose](): void {
		this.isOver = true;
		clearTimeout(this.#timer);
	}
}

/** Waits for a promise for a limited time, and ignores a later result. @throws DeadlineExceeded */
export async function within<T>(promise: Promise<T>, durationMs: number): Promise<T> {
	using deadline = new Deadline(durationMs);
	return await deadline.limit(promise);
}

const deadlines = new AsyncLocalStorage<Deadline>();

/**
 * Runs a request. All waits of the request for the database have one common deadline.
 * @param waitedMs the time that the request has already waited for the database, or an upper bound of it
 */
export async function withDeadline<T>(run: () => T | Promise<T>, waitedMs = 0): Promise<T> {
	using deadline = new Deadline(REQUEST_MS - waitedMs);
	return await deadlines.run(deadline, run);
}

/** Runs work without the deadline of the request that started it. */
export function withoutDeadline<T>(run: () => T): T {
	return deadlines.exit(run);
}

/** Returns the current request's deadline; null outside of requests, and for work that outlives a request. */
export function currentDeadline(): Deadline | null {
	const deadline = deadlines.getStore();
	return deadline === undefined || deadline.isOver ? null : deadline;
}
