import { messageOf } from "../../lib/error-reason.ts";
import type { Connection } from "./connection.ts";
import { NoneFree, PostgresFailure } from "./failures.ts";
import type { Outages } from "./outages.ts";

/** How long is waited after an attempt to connect that failed, while no connection is open. */
const RETRY_MS = 100;

/** The same while some are open: the server has no more to give, and each attempt costs it a process. */
const REFILL_MS = 2_000;

/** How long a change waits for a free connection. */
const WAIT_MS = 1_500;

interface Waiter {
	readonly take: (connection: Connection) => void;
	readonly refuse: (reason: unknown) => void;
	readonly timer: Timer;
}

/**
 * A fixed number of connections, each opened anew when it is lost. While none can be opened, one attempt is made at a
 * time: each one costs the server a process.
 */
export class Pool {
	readonly #size: number;
	readonly #outages: Outages;
	readonly #open: () => Promise<Connection>;
	readonly #onSilence: (since: number) => void;
	readonly #connections = new Set<Connection>();
	readonly #free: Connection[] = [];
	readonly #waiters = new Set<Waiter>();
	#connecting = 0;
	/** Why the last attempt to connect failed, in words; null when it did not. */
	#failure: string | null = null;
	#waits = 0;
	#retry: Timer | null = null;
	#isClosed = false;

	/**
	 * @param outages is told when no connection is open
	 * @param open opens a connection; it is tried again when that fails
	 * @param onSilence is told since when a connection had been silent that was closed for it, by `performance.now()`
	 */
	constructor(
		size: number,
		outages: Outages,
		open: () => Promise<Connection>,
		onSilence: (since: number) => void,
	) {
		this.#onSilence = onSilence;
		this.#size = size;
		this.#outages = outages;
		this.#open = open;
	}

	/** How many connections are open and at work, how many callers wait for one, and have had to. */
	get figures(): {
		open: number;
		used: number;
		waiting: number;
		waits: number;
	} {
		const free = new Set(this.#free);
		const used = [...this.#connections].filter(
			(connection) => !free.has(connection) || connection.waiting > 0,
		);
		return {
			open: this.#connections.size,
			used: used.length,
			waiting: this.#waiters.size,
			waits: this.#waits,
		};
	}

	/** Whether any connection is open. */
	get isOpen(): boolean {
		return this.#connections.size > 0;
	}

	/**
	 * Opens all connections: the first is waited for.
	 * @throws PostgresFailure when it cannot be opened
	 */
	async start(): Promise<void> {
		this.#add(await this.#open());
		this.#fill();
	}

	/**
	 * The connection with the fewest questions, for several callers at a time.
	 * @throws PostgresFailure when none is open
	 */
	shared(): Connection {
		let best: Connection | null = null;
		for (const connection of this.#connections) {
			if (!connection.isOpen) continue;
			if (best === null || connection.waiting < best.waiting) best = connection;
		}
		if (best === null) throw this.#disconnected();
		return best;
	}

	/**
	 * Takes a connection for one caller alone, who gives it back.
	 * @param withinMs how long the caller can wait
	 * @throws PostgresFailure when none is open, or none becomes free in time
	 */
	take(withinMs: number): Connection | Promise<Connection> {
		for (let free = this.#free.pop(); free; free = this.#free.pop()) {
			if (free.isOpen) return free;
		}
		if (!this.isOpen) throw this.#disconnected();
		this.#waits++;
		return new Promise((take, refuse) => {
			const timer = setTimeout(
				() => {
					this.#waiters.delete(waiter);
					refuse(new NoneFree());
				},
				Math.min(withinMs, WAIT_MS),
			);
			const waiter = { take, refuse, timer };
			this.#waiters.add(waiter);
		});
	}

	/** Gives a connection back that was taken; one that is closed is forgotten. */
	give(connection: Connection): void {
		if (!connection.isOpen) return;
		const [waiter] = this.#waiters;
		if (waiter === undefined) {
			this.#free.push(connection);
			return;
		}
		this.#waiters.delete(waiter);
		clearTimeout(waiter.timer);
		waiter.take(connection);
	}

	/**
	 * Says that the server may have been gone since then, by `performance.now()`: otherwise one call after the other
	 * would find out that its connection is dead.
	 */
	doubt(since: number): void {
		for (const connection of this.#connections) connection.doubt(since);
	}

	/** Closes all connections. */
	close(): void {
		this.#isClosed = true;
		if (this.#retry !== null) clearTimeout(this.#retry);
		for (const connection of this.#connections) connection.close();
	}

	/** Opens what is missing. */
	#fill(): void {
		if (this.#isClosed || this.#retry !== null) return;
		const missing = this.#size - this.#connections.size;
		const limit = Math.min(this.#failure === null ? this.#size : 1, missing);
		while (this.#connecting < limit) void this.#connect();
	}

	async #connect(): Promise<void> {
		this.#connecting++;
		try {
			const connection = await this.#open();
			this.#failure = null;
			this.#connecting--;
			this.#add(connection);
			this.#fill();
		} catch (error) {
			this.#failure = messageOf(error);
			this.#connecting--;
			if (!this.isOpen && !this.#isClosed) {
				this.#outages.begin(this, this.#failure);
			}
			if (this.#connecting === 0) this.#fillLater();
		}
	}

	#add(connection: Connection): void {
		if (this.#isClosed) {
			connection.close();
			return;
		}
		this.#connections.add(connection);
		this.#outages.end(this);
		this.give(connection);
		void connection.closed.then(() => this.#forget(connection));
	}

	#forget(connection: Connection): void {
		this.#connections.delete(connection);
		if (connection.silentSince !== null) {
			this.#onSilence(connection.silentSince);
		}
		const at = this.#free.indexOf(connection);
		if (at !== -1) this.#free.splice(at, 1);
		if (!this.isOpen) {
			this.#refuseAll();
			// The pause was for a pool that still had some.
			if (this.#retry !== null) clearTimeout(this.#retry);
			this.#retry = null;
		}
		this.#fill();
	}

	#fillLater(): void {
		if (this.#isClosed) return;
		this.#retry = setTimeout(
			() => {
				this.#retry = null;
				this.#fill();
			},
			this.isOpen ? REFILL_MS : RETRY_MS,
		);
	}

	#disconnected(): PostgresFailure {
		return new PostgresFailure(null, this.#failure ?? undefined);
	}

	#refuseAll(): void {
		for (const waiter of this.#waiters) {
			clearTimeout(waiter.timer);
			waiter.refuse(this.#disconnected());
		}
		this.#waiters.clear();
	}
}
