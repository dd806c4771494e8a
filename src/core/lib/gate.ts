import { NETWORKS_OF_48, networkLimits, wideNetworkOf } from "./ip-address.ts";
import type { KeyLimit } from "./sliding-window.ts";

/** The bounds of a {@link Gate}. */
export interface GateBounds {
	/** The number of tasks that may run at once. */
	readonly running: number;
	/** The number of tasks that may run at once for one network; `running` by default. */
	readonly ofNetwork?: number;
	/** The number of tasks that may wait in all; 0 by default. */
	readonly waiting?: number;
	/** The number of tasks that may wait for one network; a twentieth of `waiting` by default. */
	readonly waitingOfNetwork?: number;
}

/** Ends a task. Calling it again has no effect. */
export type Release = () => void;

/** Which bound of a gate a task would exceed: the one for its network, or the one for all tasks. */
export type Full = "network" | "all";

/** A waiting task. */
interface Waiter {
	/** The keys under which the task is counted while it runs, with their limits. */
	readonly keys: readonly KeyLimit[];
	readonly start: () => void;
}

/**
 * Bounds the number of tasks that run at once, in all and for each network. Other tasks wait, and networks
 * take turns. A network is an IPv4 address or an IPv6 /64. All networks in an IPv6 /48 together count as ten
 * networks. Any other key, such as the id of an agent, is a network of its own.
 */
export class Gate {
	readonly #bounds: Required<GateBounds>;
	/** The number of running tasks by network. An IPv6 task also counts for its /48. */
	readonly #running = new Map<string, number>();
	/** The waiting tasks, grouped by {@link queueOf}. The queue whose turn is next comes first. */
	readonly #queues = new Map<string, Waiter[]>();
	#total = 0;
	#waiting = 0;

	/** @param refusal creates the error that is thrown when a task is refused */
	constructor(
		{ running, ofNetwork = running, waiting = 0, waitingOfNetwork = waiting / 20 }: GateBounds,
		private readonly refusal = (full: Full): Error => new Error(`The gate is full: ${full}`),
	) {
		this.#bounds = { running, ofNetwork, waiting, waitingOfNetwork };
	}

	/**
	 * Starts a task at once, without waiting.
	 * @param network the result of `clientKey`, or any other key
	 * @throws the error from `refusal` if the task would have to wait
	 */
	tryEnter(network: string): Release {
		const keys = networkLimits(network, this.#bounds.ofNetwork);
		if (this.#total >= this.#bounds.running) throw this.refusal("all");
		if (this.#isFull(keys)) throw this.refusal("network");
		return this.#start(keys);
	}

	/**
	 * Waits for the turn of a task, and starts it.
	 * @param network as in {@link tryEnter}
	 * @throws the error from `refusal` if too many tasks are waiting, or the signal is aborted
	 */
	async enter(network: string, signal?: AbortSignal): Promise<Release> {
		if (signal?.aborted) throw this.refusal("all");
		const keys = networkLimits(network, this.#bounds.ofNetwork);
		if (this.#total < this.#bounds.running && !this.#isFull(keys)) return this.#start(keys);
		const name = queueOf(network);
		const queue = this.#queues.get(name) ?? [];
		if (this.#waiting >= this.#bounds.waiting) throw this.refusal("all");
		if (queue.length >= this.#bounds.waitingOfNetwork) throw this.refusal("network");
		const { promise, resolve, reject } = Promise.withResolvers<Release>();
		const leave = () => {
			signal?.removeEventListener("abort", abort);
			queue.splice(queue.indexOf(waiter), 1);
			this.#waiting--;
			if (queue.length === 0) this.#queues.delete(name);
		};
		const waiter: Waiter = {
			keys,
			start: () => {
				leave();
				resolve(this.#start(keys));
			},
		};
		const abort = () => {
			leave();
			reject(this.refusal("all"));
		};
		signal?.addEventListener("abort", abort);
		queue.push(waiter);
		this.#waiting++;
		this.#queues.set(name, queue);
		return promise;
	}

	#start(keys: readonly KeyLimit[]): Release {
		this.#count(keys, 1);
		let isRunning = true;
		return () => {
			if (!isRunning) return;
			isRunning = false;
			this.#count(keys, -1);
			this.#startWaiting();
		};
	}

	#count(keys: readonly KeyLimit[], by: number): void {
		this.#total += by;
		for (const { key } of keys) {
			const running = this.#runningOf(key) + by;
			if (running === 0) this.#running.delete(key);
			else this.#running.set(key, running);
		}
	}

	#runningOf(key: string): number {
		return this.#running.get(key) ?? 0;
	}

	#isFull(keys: readonly KeyLimit[]): boolean {
		return keys.some(({ key, limit }) => this.#runningOf(key) >= limit);
	}

	/** Starts waiting tasks as far as the bounds allow. A queue that has started a task moves to the end. */
	#startWaiting(): void {
		for (const [name, queue] of this.#queues) {
			if (this.#total >= this.#bounds.running) return;
			const next = queue.find(({ keys }) => !this.#isFull(keys));
			if (next === undefined) continue;
			this.#queues.delete(name);
			if (queue.length > 1) this.#queues.set(name, queue);
			next.start();
		}
	}
}

/**
 * Returns the name of the queue of a network. The networks in a /48 share ten queues, so that together they
 * have no more turns and waiting tasks than ten other networks.
 */
function queueOf(network: string): string {
	const wider = wideNetworkOf(network);
	return wider === null ? network : `${wider} ${Bun.hash.crc32(network) % NETWORKS_OF_48}`;
}
