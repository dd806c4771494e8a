/** How much a fair queue runs and keeps at most. */
export interface QueueBounds {
	/** How many tasks run at once, in all and of one lane. */
	readonly running: number;
	readonly runningOfLane: number;
	/** How many tasks wait, in all and of one lane. */
	readonly waiting: number;
	readonly waitingOfLane: number;
	/** How long a task waits before it is given up. */
	readonly waitMs: number;
}

/** Whose turn a task takes, and before whom. */
export interface Place {
	/** Tasks of one lane share its turns. */
	readonly lane: string;
	/** A suspect lane has its turn when no other lane waits. */
	readonly isSuspect: boolean;
	/** Whether the task goes before the others of its lane. */
	readonly isFirst: boolean;
}

interface Waiter {
	/** Begins the task, or gives it up. */
	readonly settle: (isTurn: boolean) => void;
	readonly timer: ReturnType<typeof setTimeout>;
}

/** A lane exists as long as a task of it waits or runs. */
interface Lane {
	readonly name: string;
	readonly waiting: Waiter[];
	running: number;
	isSuspect: boolean;
}

/**
 * Runs a bounded number of tasks at once. The others wait in lanes, which take turns, so that a lane with many tasks
 * does not hold up a lane with few. When there is no room for one more, the longest lane gives up its newest task.
 */
export class FairQueue {
	readonly #lanes = new Map<string, Lane>();
	/** The lanes that can have a turn, the next one first: the trusted ones and the suspect ones. */
	readonly #trusted = new Set<Lane>();
	readonly #suspect = new Set<Lane>();
	readonly #bounds: QueueBounds;
	#running = 0;
	#waiting = 0;

	constructor(bounds: QueueBounds) {
		this.#bounds = bounds;
	}

	/** How many tasks wait. */
	get waiting(): number {
		return this.#waiting;
	}

	/** How many lanes have a task that waits or runs. */
	get lanes(): number {
		return this.#lanes.size;
	}

	/** Whether a task of a lane would have to wait. */
	isBusy(lane: string): boolean {
		const ofLane = this.#lanes.get(lane)?.running ?? 0;
		const { running, runningOfLane } = this.#bounds;
		return this.#running >= running || ofLane >= runningOfLane;
	}

	/**
	 * Runs a task when it is its turn.
	 * @returns what the task gives; null when there is no room for it, or its turn does not come in time
	 * @throws what the task throws
	 */
	async run<T>(place: Place, task: () => Promise<T>): Promise<T | null> {
		const lane = this.#laneOf(place);
		if (!(await this.#turn(lane, place.isFirst))) return null;
		try {
			return await task();
		} finally {
			this.#running--;
			lane.running--;
			this.#update(lane);
			this.#serve();
		}
	}

	#laneOf({ lane: name, isSuspect }: Place): Lane {
		const known = this.#lanes.get(name);
		const lane = known ?? { name, waiting: [], running: 0, isSuspect };
		lane.isSuspect = isSuspect;
		this.#lanes.set(name, lane);
		return lane;
	}

	/** Waits for a turn of a lane; false when it does not come. */
	#turn(lane: Lane, isFirst: boolean): Promise<boolean> {
		const { promise, resolve } = Promise.withResolvers<boolean>();
		const waiter: Waiter = {
			settle: resolve,
			timer: setTimeout(() => this.#giveUp(lane, waiter), this.#bounds.waitMs),
		};
		if (isFirst) lane.waiting.unshift(waiter);
		else lane.waiting.push(waiter);
		this.#waiting++;
		this.#update(lane);
		this.#serve();
		this.#makeRoom(lane);
		return promise;
	}

	/** Begins as many tasks as may run. */
	#serve(): void {
		while (this.#running < this.#bounds.running) {
			const [lane] = this.#trusted.size > 0 ? this.#trusted : this.#suspect;
			const next = lane?.waiting[0];
			if (lane === undefined || next === undefined) return;
			this.#running++;
			lane.running++;
			// The lane goes behind all others.
			this.#trusted.delete(lane);
			this.#suspect.delete(lane);
			this.#take(lane, next, true);
		}
	}

	/** Gives up one task when more wait than may, in one lane or in all. */
	#makeRoom(lane: Lane): void {
		const { waiting, waitingOfLane } = this.#bounds;
		if (lane.waiting.length > waitingOfLane) {
			this.#giveUp(lane, lane.waiting.at(-1));
		} else if (this.#waiting > waiting) {
			const longest = this.#longest(lane);
			this.#giveUp(longest, longest.waiting.at(-1));
		}
	}

	/** The lane with the most waiting tasks; a suspect one before all others, and the given one if it is no shorter. */
	#longest(lane: Lane): Lane {
		const lengthOf = ({ waiting, isSuspect }: Lane) =>
			waiting.length + (isSuspect ? this.#bounds.waiting : 0);
		let longest = lane;
		for (const other of this.#lanes.values()) {
			if (other.waiting.length === 0) continue;
			if (lengthOf(other) > lengthOf(longest)) longest = other;
		}
		return longest;
	}

	#giveUp(lane: Lane, waiter: Waiter | undefined): void {
		if (waiter !== undefined) this.#take(lane, waiter, false);
	}

	/** Takes a waiting task out of its lane. */
	#take(lane: Lane, waiter: Waiter, isTurn: boolean): void {
		lane.waiting.splice(lane.waiting.indexOf(waiter), 1);
		this.#waiting--;
		clearTimeout(waiter.timer);
		this.#update(lane);
		waiter.settle(isTurn);
	}

	/** Lets a lane take part in the turns if it can have one, and forgets it when it is empty. */
	#update(lane: Lane): void {
		const { waiting, running, isSuspect, name } = lane;
		const canRun = running < this.#bounds.runningOfLane;
		const [ring, other] = isSuspect
			? [this.#suspect, this.#trusted]
			: [this.#trusted, this.#suspect];
		other.delete(lane);
		if (waiting.length > 0 && canRun) ring.add(lane);
		else ring.delete(lane);
		if (waiting.length === 0 && running === 0) this.#lanes.delete(name);
	}
}
