import { AsyncLocalStorage } from "node:async_hooks";
import { PostgresFailure } from "./failures.ts";

/** How long one request may wait for the database, with all that it asks. */
const REQUEST_MS = 1_900;

/** An answer that did not come in time; it may still come. */
export class Late extends PostgresFailure {
	constructor() {
		super(null, "no answer in time");
	}
}

/** How long something may take. */
export class Deadline {
	readonly atMs: number;
	#late: PromiseWithResolvers<never> | null = null;
	#timer: Timer | null = null;

	/** @param withinMs milliseconds from now */
	constructor(withinMs: number) {
		this.atMs = performance.now() + withinMs;
	}

	/** How many milliseconds are left; not below 0. */
	get leftMs(): number {
		return Math.max(0, this.atMs - performance.now());
	}

	/**
	 * What a promise gives, as long as it does so in time.
	 * @throws Late when it does not; whatever it gives then is dropped
	 */
	keep<T>(asked: Promise<T>): Promise<T> {
		if (this.#late === null) {
			const late = Promise.withResolvers<never>();
			late.promise.catch(() => {});
			this.#late = late;
			this.#timer = setTimeout(() => late.reject(new Late()), this.leftMs);
		}
		return Promise.race([asked, this.#late.promise]);
	}

	/** Lets go of its timer, when nothing is waited for any more. */
	end(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
	}
}

/**
 * What a promise gives, as long as it does so within so many milliseconds.
 * @throws Late when it does not; whatever it gives then is dropped
 */
export async function within<T>(
	asked: Promise<T>,
	withinMs: number,
): Promise<T> {
	const deadline = new Deadline(withinMs);
	try {
		return await deadline.keep(asked);
	} finally {
		deadline.end();
	}
}

/** What is known of the request that is being answered. */
interface Request {
	readonly deadline: Deadline;
	/** Work that a request has begun may outlive it, as a sweep does; then it has no deadline. */
	isOver: boolean;
}

const requests = new AsyncLocalStorage<Request>();

/** Runs a request, or goes on with one that has waited, with a deadline for all that it asks of the database. */
export async function withDeadline<T>(run: () => T | Promise<T>): Promise<T> {
	const request = { deadline: new Deadline(REQUEST_MS), isOver: false };
	try {
		return await requests.run(request, run);
	} finally {
		request.isOver = true;
		request.deadline.end();
	}
}

/** Runs what belongs to no request, although one has caused it: it has no deadline, and neither has what it begins. */
export function outsideRequests<T>(run: () => T): T {
	return requests.exit(run);
}

/**
 * What a promise gives, as long as that is in time for the request that is being answered.
 * @throws Late
 */
export function inTime<T>(asked: Promise<T>): Promise<T> {
	return currentDeadline()?.keep(asked) ?? asked;
}

/** The deadline of the request that is being answered; null outside of requests. */
export function currentDeadline(): Deadline | null {
	const request = requests.getStore();
	return request === undefined || request.isOver ? null : request.deadline;
}
