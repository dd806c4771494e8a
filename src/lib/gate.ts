import { networksOf } from "./ip-address.ts";

/** The bounds of a {@link Gate}. */
export interface GateBounds {
	/** The number of tasks that may run at once. */
	readonly running: number;
	/** The number of tasks that may run at once for one network; `running` by default. */
	readonly ofNetwork?: number;
	/** The number of tasks that may wait in all; 0 by default. */
	readonly waiting?: number;
	/** The number of tasks that may wait for one network; a tenth of `waiting` by default. */
	readonly waitingOfNetwork?: number;
}

/** Ends a task. Calling it again has no effect. */
export type Release = () => void;

/** Thrown if a gate refuses a task. `full` names the exceeded bound: that of the network, or that of all. */
export class GateFull extends Error {
	constructor(readonly full: "network" | "all") {
		super(`The gate is full: ${full}`);
	}
}

/** A /48 may have this many times the tasks of a /64, because providers assign up to a /48 to one customer. */
const FACTOR_OF_48 = 10;

/** Starts a waiting task. */
type Waiter = () => void;

/**
 * Bounds the number of tasks that run at once: in all, and for each network. The other tasks wait, and
 * networks take turns, so that a network with many tasks does not delay one with few. A network is an IPv4
 * address or an IPv6 /64. Any other key, such as the id of an agent, is a network of its own.
 */
export class Gate {
	readonly #bounds: Required<GateBounds>;
	/** The number of running tasks by network. An IPv6 task also counts for its /48. */
	readonly #running = new Map<string, number>();
	/** The waiting tasks by network. The network whose turn is next comes first. */
	readonly #waiters = new Map<string, Waiter[]>();
	#total = 0;
	#waiting = 0;

	constructor({ running, ofNetwork = running, waiting = 0, waitingOfNetwork = waiting / 10 }: GateBounds) {
		this.#bounds = { running, ofNetwork, waiting, waitingOfNetwork };
	}

	/** The number of running tasks. */
	get running(): number {
		return this.#total;
	}

	/** The number of waiting tasks. */
	get waiting(): number {
		return this.#waiting;
	}

	/**
	 * Starts a task that does not wait.
	 * @param network the result of `clientKey`, or any other key
	 * @throws GateFull if the task would have to wait
	 */
	tryEnter(network: string): Release {
		if (this.#isNetworkFull(network)) throw new GateFull("network");
		if (this.#total >= this.#bounds.running) throw new GateFull("all");
		return this.#start(network);
	}

	/**
	 * Waits until a task may start.
	 * @param network as in {@link tryEnter}
	 * @throws GateFull if too many tasks are waiting; the signal's reason if the signal is aborted
	 */
	async enter(network: string, signal?: AbortSignal): Promise<Release> {
		signal?.throwIfAborted();
		if (this.#total < this.#bounds.running && !this.#isNetworkFull(network)) return this.#start(network);
		const waiters = this.#waiters.get(network) ?? [];
		if (waiters.length >= this.#bounds.waitingOfNetwork) throw new GateFull("network");
		if (this.#waiting >= this.#bounds.waiting) throw new GateFull("all");
		const { promise, resolve, reject } = Promise.withResolvers<Release>();
		const leave = () => {
			signal?.removeEventListener("abort", abort);
			waiters.splice(waiters.indexOf(waiter), 1);
			this.#waiting--;
			if (waiters.length === 0) this.#waiters.delete(network);
		};
		const waiter = () => {
			leave();
			resolve(this.#start(network));
		};
		const abort = () => {
			leave();
			reject(signal?.reason);
		};
		signal?.addEventListener("abort", abort);
		waiters.push(waiter);
		this.#waiting++;
		this.#waiters.set(network, waiters);
		return promise;
	}

	#start(network: string): Release {
		this.#count(network, 1);
		let isRunning = true;
		return () => {
			if (!isRunning) return;
			isRunning = false;
			this.#count(network, -1);
			this.#startWaiting();
		};
	}

	#count(network: string, by: number): void {
		this.#total += by;
		for (const key of keysOf(network)) {
			const running = (this.#running.get(key) ?? 0) + by;
			if (running === 0) this.#running.delete(key);
			else this.#running.set(key, running);
		}
	}

	#isNetworkFull(network: string): boolean {
		const { ofNetwork } = this.#bounds;
		return keysOf(network).some((key, at) => {
			const limit = at === 0 ? ofNetwork : FACTOR_OF_48 * ofNetwork;
			return (this.#running.get(key) ?? 0) >= limit;
		});
	}

	/** Starts waiting tasks while there is room. A network whose task was started comes last afterwards. */
	#startWaiting(): void {
		for (const [network, waiters] of this.#waiters) {
			if (this.#total >= this.#bounds.running) return;
			if (this.#isNetworkFull(network)) continue;
			this.#waiters.delete(network);
			if (waiters.length > 1) this.#waiters.set(network, waiters);
			waiters[0]?.();
		}
	}
}

/** Returns a network and, for an IPv6 /64, the /48 that contains it. */
function keysOf(network: string): readonly string[] {
	const wider = networksOf(network)?.[48];
	return wider === undefined ? [network] : [network, wider];
}
