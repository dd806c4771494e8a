/** How many tasks a {@link FairLimiter} runs and queues at most. */
export interface LimiterBounds {
	readonly running: number;
	/** In all lanes; 0 when left out. */
	readonly waiting?: number;
	/** In one lane; as many as in all lanes when left out. */
	readonly waitingOfLane?: number;
}

/** How many tasks with a key run at once. */
export interface KeyLimit {
	readonly key: string;
	readonly limit: number;
}

/** A request for one of the slots of a {@link FairLimiter}. */
export interface SlotRequest {
	/** Tasks of one lane wait in one queue. Of the lanes that can run, the one with the fewest running tasks is next. */
	readonly lane: string;
	/**
	 * Limits of keys that the task counts for, such as an address with its networks, or a host. A task whose keys are
	 * all below their limits overtakes those that have to wait.
	 */
	readonly limits?: readonly KeyLimit[];
	/** Whether the task goes before the others of its lane. */
	readonly isUrgent?: boolean;
	/** Whether the lane, from now on, is served only when no other lane waits. */
	readonly isLowPriority?: boolean;
	/** Ends the waiting. */
	readonly signal?: AbortSignal;
}

/** Frees a slot; further calls have no effect. */
export type Release = () => void;

/** A request was refused because a key, all slots or the queue are full. */
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

/** The waiting tasks of a lane. A lane exists as long as it has any. */
interface Lane {
	readonly name: string;
	readonly waiters: Waiter[];
	isLowPriority: boolean;
}

/**
 * Limits how many tasks run at once, in all and by key, and queues the others fairly: a lane with many tasks does not
 * hold up a lane with few. When the queue is full, the longest lane loses its newest task.
 */
export class FairLimiter {
	/** The running tasks of each lane and key. */
	readonly #runningByKey = new Map<string, number>();
	/** A lane goes to the end when one of its tasks has ended. */
	readonly #lanes = new Map<string, Lane>();
	#running = 0;
	#waiting = 0;

	constructor(private readonly bounds: LimiterBounds) {}

	/** The number of waiting tasks. */
	get waiting(): number {
		return this.#waiting;
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
	 * @throws LimitExceeded when the queue is full, now or later; the signal's reason when it is aborted meanwhile
	 */
	async acquire(request: SlotRequest): Promise<Release> {
		request.signal?.throwIfAborted();
		return this.isBusy(request) ? this.#wait(request) : this.#start(request);
	}

	/**
	 * Runs a task as soon as there is a slot for it.
	 * @throws as {@link acquire}, or what the task throws
	 */
	async run<T>(request: SlotRequest, task: () => Promise<T>): Promise<T> {
		const release = await this.acquire(request);
		try {
			return await task();
		} finally {
			release();
		}
	}

	#findFull({ limits = [] }: SlotRequest): "key" | "slots" | null {
		if (limits.some(({ key, limit }) => this.running(key) >= limit)) {
			return "key";
		}
		return this.#running >= this.bounds.running ? "slots" : null;
	}

	#start({ lane: name, limits = [] }: SlotRequest): Release {
		const keys = new Set([name, ...limits.map(({ key }) => key)]);
		this.#count(keys, 1);
		let isHeld = true;
		return () => {
			if (!isHeld) return;
			isHeld = false;
			this.#count(keys, -1);
			const lane = this.#lanes.get(name);
			if (lane !== undefined) {
				this.#lanes.delete(name);
				this.#lanes.set(name, lane);
			}
			this.#startWaiting();
		};
	}

	#count(keys: Iterable<string>, by: 1 | -1): void {
		this.#running += by;
		for (const key of keys) {
			const running = this.running(key) + by;
			if (running === 0) this.#runningByKey.delete(key);
			else this.#runningByKey.set(key, running);
		}
	}

	#wait(request: SlotRequest): Promise<Release> {
		const { lane: name, isUrgent, isLowPriority = false, signal } = request;
		const { promise, resolve, reject } = Promise.withResolvers<Release>();
		const lane = this.#lanes.get(name) ?? { name, waiters: [], isLowPriority };
		lane.isLowPriority = isLowPriority;
		this.#lanes.set(name, lane);
		const leave = () => {
			signal?.removeEventListener("abort", abort);
			lane.waiters.splice(lane.waiters.indexOf(waiter), 1);
			if (lane.waiters.length === 0) this.#lanes.delete(name);
			this.#waiting--;
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
		if (isUrgent) lane.waiters.unshift(waiter);
		else lane.waiters.push(waiter);
		this.#waiting++;
		this.#boundQueue(lane);
		return promise;
	}

	/** Starts the waiting tasks that a freed slot lets run. */
	#startWaiting(): void {
		for (let next = this.#findNext(); next; next = this.#findNext()) {
			next.start();
		}
	}

	#findNext(): Waiter | undefined {
		let found: Waiter | undefined;
		let lowestRank = Number.POSITIVE_INFINITY;
		if (this.#running >= this.bounds.running) return found;
		for (const { name, waiters, isLowPriority } of this.#lanes.values()) {
			// No lane has as many running tasks as there are slots.
			const rank =
				this.running(name) + (isLowPriority ? this.bounds.running : 0);
			if (rank >= lowestRank) continue;
			const waiter = waiters.find(({ request }) => !this.isBusy(request));
			if (waiter === undefined) continue;
			found = waiter;
			lowestRank = rank;
		}
		return found;
	}

	/** Refuses a task when too many wait, in one lane or in all. */
	#boundQueue(lane: Lane): void {
		const { waiting = 0, waitingOfLane = waiting } = this.bounds;
		const isLaneFull = lane.waiters.length > waitingOfLane;
		if (!isLaneFull && this.#waiting <= waiting) return;
		const longest = isLaneFull ? lane : this.#findLongest(lane);
		longest.waiters.at(-1)?.refuse(new LimitExceeded("queue"));
	}

	/** Returns the lane with the most waiting tasks, of low priority if possible; `lane` if none is longer. */
	#findLongest(lane: Lane): Lane {
		const lengthOf = ({ waiters, isLowPriority }: Lane) =>
			waiters.length + (isLowPriority ? this.#waiting : 0);
		let longest = lane;
		for (const other of this.#lanes.values()) {
			if (lengthOf(other) > lengthOf(longest)) longest = other;
		}
		return longest;
	}
}
