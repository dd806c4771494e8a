/** How many tasks a {@link FairLimiter} runs and queues at most. */
export interface LimiterBounds {
	readonly running: number;
	/** How many of the slots are kept for tasks whose lanes have no running task; 0 when left out. */
	readonly reserved?: number;
	/** How many tasks may wait in all lanes together; 0 when left out. */
	readonly waiting?: number;
	/** How many tasks may wait in one of the narrowest lanes; as many as in all lanes when left out. */
	readonly waitingOfLane?: number;
}

/** How many tasks with a key may run at once. */
export interface KeyLimit {
	readonly key: string;
	readonly limit: number;
}

/** A request for one of the slots of a {@link FairLimiter}. */
export interface SlotRequest {
	/**
	 * The lanes of the task from the narrowest to the widest, such as an agent, its address and the networks around it.
	 * Of the widest lanes in which a task can run, the one with the fewest running tasks is next, and so on within it.
	 */
	readonly lanes: readonly KeyLimit[];
	/**
	 * Limits of further keys that the task counts for, such as a host. A task whose keys are all below their limits
	 * overtakes tasks that wait for a key.
	 */
	readonly limits?: readonly KeyLimit[];
	/** How many slots the task takes; 1 when left out. */
	readonly weight?: number;
	/** Whether the task goes before the others of its narrowest lane. */
	readonly isUrgent?: boolean;
	/** Whether the task is served only when no other one can run. */
	readonly isLowPriority?: boolean;
	/** Stops waiting when it is aborted. */
	readonly signal?: AbortSignal;
}

/** Frees a slot; further calls have no effect. */
export type Release = () => void;

/** Reports that a request was refused, because one of its keys, all slots or the queue are full. */
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

/** A lane with its waiting tasks. It exists as long as it has any. */
class Lane {
	/** The narrower lanes. When a task has ended, its lane moves to the end. */
	readonly lanes = new Map<string, Lane>();
	/** The waiting tasks; only the narrowest lanes have them. */
	readonly waiters: Waiter[] = [];
	/** The number of waiting tasks, including those of narrower lanes. */
	waiting = 0;

	constructor(readonly key: string) {}
}

/**
 * Limits how many tasks run at once, in total and by key, and queues the others fairly: a lane with many tasks does not
 * hold up a lane with few. When the queue is full, the longest lane loses its newest task.
 */
export class FairLimiter {
	/** The running tasks of each lane and key. */
	readonly #runningByKey = new Map<string, number>();
	/** The queues of tasks by their priority, the low one last. */
	readonly #queues = [new Lane("ordinary"), new Lane("low")] as const;
	#running = 0;

	constructor(private readonly bounds: LimiterBounds) {}

	/** The number of waiting tasks. */
	get waiting(): number {
		const [ordinary, low] = this.#queues;
		return ordinary.waiting + low.waiting;
	}

	/** The number of running tasks of a lane or key. */
	running(key: string): number {
		return this.#runningByKey.get(key) ?? 0;
	}

	/** Whether a task would have to wait. */
	isBusy(request: SlotRequest): boolean {
		return this.#findFull(request) !== null;
	}

	/**
	 * Takes a slot without waiting.
	 * @throws LimitExceeded
	 */
	tryAcquire(request: SlotRequest): Release {
		const full = this.#findFull(request);
		if (full !== null) throw new LimitExceeded(full);
		return this.#start(request);
	}

	/**
	 * Waits for a slot.
	 * @throws LimitExceeded if the queue is full now or while the task waits; the signal's reason if it is aborted meanwhile
	 */
	async acquire(request: SlotRequest): Promise<Release> {
		request.signal?.throwIfAborted();
		return this.isBusy(request) ? this.#wait(request) : this.#start(request);
	}

	/**
	 * Runs a task as soon as there is a slot for it.
	 * @throws what {@link acquire} or the task throws
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
		const isOver = ({ key, limit }: KeyLimit) =>
			this.running(key) + weight > limit;
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
			for (const queue of this.#queues) moveToEnd(queue, lanes);
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
		const { lanes, isUrgent, isLowPriority, signal } = request;
		const { promise, resolve, reject } = Promise.withResolvers<Release>();
		const path = openLanes(this.#queues[isLowPriority ? 1 : 0], lanes);
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
		signal?.addEventListener("abort", abort, { once: true });
		if (isUrgent) waiters.unshift(waiter);
		else waiters.push(waiter);
		this.#boundQueue(path);
		return promise;
	}

	/** Starts the waiting tasks that can run now that a slot is free. */
	#startWaiting(): void {
		const [ordinary, low] = this.#queues;
		while (this.#running < this.bounds.running) {
			const next = this.#findNext(ordinary) ?? this.#findNext(low);
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
			// No other lane has fewer, and a search through thousands of lanes would take too long.
			if (fewest === 0) break;
		}
		return found;
	}

	/** Refuses a task when too many wait, in one lane or in all. */
	#boundQueue(path: readonly Lane[]): void {
		const { waiting = 0, waitingOfLane = waiting } = this.bounds;
		const own = path.at(-1) as Lane;
		const isLaneFull = own.waiters.length > waitingOfLane;
		if (!isLaneFull && this.waiting <= waiting) return;
		const longest = isLaneFull ? own : this.#findLongest(path);
		longest.waiters.at(-1)?.refuse(new LimitExceeded("queue"));
	}

	/** Returns the lane that loses a task: of low priority if possible, at each level the longest, in a tie one of `path`. */
	#findLongest(path: readonly Lane[]): Lane {
		const [ordinary, low] = this.#queues;
		let longest = low.waiting > 0 ? low : ordinary;
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

/** Returns a queue and the lanes of a request in it, from the widest to the narrowest; creates those that are missing. */
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

/** Moves the lanes of a task that has ended behind the others. */
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
