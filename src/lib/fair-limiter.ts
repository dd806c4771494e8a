import type { KeyLimit } from "./sliding-window.ts";

/** The bounds of a {@link FairLimiter}. */
export interface LimiterBounds {
	readonly running: number;
	/** The number of slots that are reserved for tasks none of whose lanes has a running task; 0 by default. */
	readonly reserved?: number;
	/** The maximum number of queued tasks in total; 0 by default. */
	readonly waiting?: number;
	/** The maximum number of queued tasks in one of the narrowest lanes. Defaults to `waiting`. */
	readonly waitingOfLane?: number;
}

/** A request for a slot of a {@link FairLimiter}. */
export interface SlotRequest {
	/**
	 * The lanes of the task, from the narrowest to the widest: for example an agent, the agent's address, and
	 * the network that contains the address. To select the next task, the limiter compares the widest lanes and
	 * takes the lane with the fewest running tasks. It then compares the narrower lanes within this lane, and
	 * so on. Lanes without a task that can run are skipped.
	 */
	readonly lanes: readonly KeyLimit[];
	/**
	 * Additional keys with limits, such as the host name in a webhook's URL. While one of these keys is at its
	 * limit, the task waits, and other tasks may overtake it.
	 */
	readonly limits?: readonly KeyLimit[];
	/** The number of slots that the task takes; 1 by default. */
	readonly weight?: number;
	/** Whether the task precedes the other tasks in its narrowest lane. */
	readonly isUrgent?: boolean;
	/** Aborts the wait. */
	readonly signal?: AbortSignal;
}

/** Releases a slot. Calling it again has no effect. */
export type Release = () => void;

/**
 * Thrown if a request is refused: one of its keys is at its limit (`key`), too few slots are free (`slots`),
 * or the queue is full (`queue`).
 */
export class LimitExceeded extends Error {
	constructor(readonly full: "key" | "slots" | "queue") {
		super(`Limit exceeded: ${full}`);
	}
}

interface Waiter {
	readonly request: SlotRequest;
	readonly start: () => void;
	readonly refuse: (error: unknown) => void;
}

/** A lane with its queued tasks. A lane without queued tasks is deleted. */
class Lane {
	/** The narrower lanes within this lane. When a task ends, its lanes move to the end of their maps. */
	readonly lanes = new Map<string, Lane>();
	/** The queued tasks. Only the narrowest lanes contain tasks; wider lanes contain lanes. */
	readonly waiters: Waiter[] = [];
	/** The number of queued tasks, including those in narrower lanes. */
	waiting = 0;

	constructor(readonly key: string) {}
}

/**
 * Limits the number of running tasks, in total and for each key. Queues the other tasks fairly, so that a
 * lane with many tasks does not delay a lane with few tasks. When the queue is full, the newest task of the
 * longest lane is refused.
 */
export class FairLimiter {
	/** The number of slots that running tasks have taken, by the keys of their lanes and limits. */
	readonly #runningByKey = new Map<string, number>();
	/** The widest lane, which contains all others. */
	readonly #queue = new Lane("all");
	#running = 0;

	constructor(private readonly bounds: LimiterBounds) {}

	/** The number of queued tasks. */
	get waiting(): number {
		return this.#queue.waiting;
	}

	/**
	 * Returns the number of slots that the running tasks with a key have taken. The key is that of a lane or a
	 * limit.
	 */
	running(key: string): number {
		return this.#runningByKey.get(key) ?? 0;
	}

	/** Whether a task would have to wait. */
	isBusy(request: SlotRequest): boolean {
		return this.#findFull(request) !== null;
	}

	/**
	 * Acquires a slot without waiting.
	 * @throws LimitExceeded if the task would have to wait
	 */
	tryAcquire(request: SlotRequest): Release {
		const full = this.#findFull(request);
		if (full !== null) throw new LimitExceeded(full);
		return this.#start(request);
	}

	/**
	 * Waits for a slot.
	 * @throws LimitExceeded if the queue is full, or becomes full while the task waits; the signal's reason if
	 * the signal is aborted
	 */
	async acquire(request: SlotRequest): Promise<Release> {
		request.signal?.throwIfAborted();
		return this.isBusy(request) ? this.#wait(request) : this.#start(request);
	}

	/**
	 * Runs a task when it gets a slot.
	 * @throws the errors of {@link acquire} and of the task
	 */
	async run<T>(request: SlotRequest, task: () => Promise<T>): Promise<T> {
		const release = await this.acquire(request);
		try {
			return await task();
		} finally {
			release();
		}
	}

	#findFull(request: SlotRequest): "key" | "slots" | null {
		const { lanes, limits = [], weight = 1 } = request;
		const isOver = ({ key, limit }: KeyLimit) => this.running(key) + weight > limit;
		if (lanes.some(isOver) || limits.some(isOver)) return "key";
		const { running, reserved = 0 } = this.bounds;
		const hasSlot = lanes.some(({ key }) => this.running(key) > 0);
		const free = running - this.#running - (hasSlot ? reserved : 0);
		return free < weight ? "slots" : null;
	}

	#start({ lanes, limits = [], weight = 1 }: SlotRequest): Release {
		const keys = new Set([...lanes, ...limits].map(({ key }) => key));
		this.#count(keys, weight);
		let isHeld = true;
		return () => {
			if (!isHeld) return;
			isHeld = false;
			this.#count(keys, -weight);
			moveToEnd(this.#queue, lanes);
			this.#startWaiting();
		};
	}

	#count(keys: Iterable<string>, by: number): void {
		this.#running += by;
		for (const key of keys) {
			const running = this.running(key) + by;
			if (running === 0) this.#runningByKey.delete(key);
			else this.#runningByKey.set(key, running);
		}
	}

	#wait(request: SlotRequest): Promise<Release> {
		const { lanes, isUrgent, signal } = request;
		const { promise, resolve, reject } = Promise.withResolvers<Release>();
		const path = openLanes(this.#queue, lanes);
		const { waiters } = path.at(-1) as Lane;
		for (const lane of path) lane.waiting++;
		const leave = () => {
			signal?.removeEventListener("abort", abort);
			waiters.splice(waiters.indexOf(waiter), 1);
			for (const [at, lane] of path.entries()) {
				if (--lane.waiting === 0) path[at - 1]?.lanes.delete(lane.key);
			}
		};
		const waiter: Waiter = {
			request,
			start: () => {
				leave();
				resolve(this.#start(request));
			},
			refuse: (error) => {
				leave();
				reject(error);
			},
		};
		const abort = () => waiter.refuse(signal?.reason);
		signal?.addEventListener("abort", abort);
		if (isUrgent) waiters.unshift(waiter);
		else waiters.push(waiter);
		this.#boundQueue(path);
		return promise;
	}

	/** Starts the queued tasks for which there are slots now. */
	#startWaiting(): void {
		while (this.#running < this.bounds.running) {
			const next = this.#findNext(this.#queue);
			if (next === undefined) return;
			next.start();
		}
	}

	#findNext({ lanes, waiters }: Lane): Waiter | undefined {
		let found = waiters.find(({ request }) => !this.isBusy(request));
		let fewest = Number.POSITIVE_INFINITY;
		for (const lane of lanes.values()) {
			const running = this.running(lane.key);
			if (running >= fewest) continue;
			const next = this.#findNext(lane);
			if (next === undefined) continue;
			found = next;
			fewest = running;
			// Ends the search, because no lane has fewer than 0 running tasks, and there may be thousands of
			// further lanes.
			if (fewest === 0) break;
		}
		return found;
	}

	/** Refuses a queued task if too many tasks are queued in one lane or in total. */
	#boundQueue(path: readonly Lane[]): void {
		const { waiting = 0, waitingOfLane = waiting } = this.bounds;
		const own = path.at(-1) as Lane;
		const isLaneFull = own.waiters.length > waitingOfLane;
		if (!isLaneFull && this.waiting <= waiting) return;
		const longest = isLaneFull ? own : this.#findLongest(path);
		longest.waiters.at(-1)?.refuse(new LimitExceeded("queue"));
	}

	/**
	 * Returns the lane whose newest task is refused. From the widest to the narrowest lanes, selects the
	 * longest lane at each level. If several lanes are equally long, selects the lane in `path`.
	 */
	#findLongest(path: readonly Lane[]): Lane {
		let longest = this.#queue;
		for (let depth = 1; longest.lanes.size > 0; depth++) {
			const lanes = [...longest.lanes.values()];
			const own = lanes.find((lane) => lane === path[depth]);
			longest = lanes.reduce(
				(found, lane) => (lane.waiting > found.waiting ? lane : found),
				own ?? (lanes[0] as Lane),
			);
		}
		return longest;
	}
}

/** Returns the queue and the lanes of a request, from the widest to the narrowest. Creates missing lanes. */
function openLanes(queue: Lane, lanes: SlotRequest["lanes"]): Lane[] {
	const path = [queue];
	let wider = queue;
	for (const { key } of lanes.toReversed()) {
		const lane = wider.lanes.get(key) ?? new Lane(key);
		wider.lanes.set(key, lane);
		path.push(lane);
		wider = lane;
	}
	return path;
}

/**
 * Moves the lanes of a finished task behind the other lanes, so that the other lanes are considered first.
 */
function moveToEnd(queue: Lane, lanes: SlotRequest["lanes"]): void {
	let siblings = queue.lanes;
	for (const { key } of lanes.toReversed()) {
		const lane = siblings.get(key);
		if (lane === undefined) return;
		siblings.delete(key);
		siblings.set(key, lane);
		siblings = lane.lanes;
	}
}
