import type { Connection } from "./connection.ts";
import { PostgresFailure } from "./failures.ts";

/** How long is waited after an attempt to connect that failed. */
const RETRY_MS = 100;

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
	readonly #open: () => Promise<Connection>;
	readonly #connections = new Set<Connection>();
	readonly #free: Connection[] = [];
	readonly #waiters = new Set<Waiter>();
	#connecting = 0;
	#isFailing = false;
	#retry: Timer | null = null;
	#isClosed = false;

	/** @param open opens a connection; it is tried again when that fails */
	constructor(size: number, open: () => Promise<Connection>) {
		this.#size = size;
		this.#open = open;
	}

	/** How many connections are open, in use, and how many changes wait for one. */
	get figures(): { open: number; used: number; waiting: number } {
		const open = this.#connections.size;
		return {
			open,
			used: open - this.#free.length,
			waiting: this.#waiters.size,
		};
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
		if (best === null) throw new PostgresFailure(null);
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
		if (this.#connections.size === 0) throw new PostgresFailure(null);
		return new Promise((take, refuse) => {
			const timer = setTimeout(
				() => {
					this.#waiters.delete(waiter);
					refuse(new PostgresFailure(null, "no connection became free"));
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
		const limit = Math.min(this.#isFailing ? 1 : this.#size, missing);
		while (this.#connecting < limit) void this.#connect();
	}

	async #connect(): Promise<void> {
		this.#connecting++;
		try {
			const connection = await this.#open();
			this.#isFailing = false;
			this.#connecting--;
			this.#add(connection);
			this.#fill();
		} catch {
			this.#isFailing = true;
			this.#connecting--;
			if (this.#connecting === 0) this.#fillLater();
		}
	}

	#add(connection: Connection): void {
		if (this.#isClosed) {
			connection.close();
			return;
		}
		this.#connections.add(connection);
		this.give(connection);
		void connection.closed.then(() => this.#forget(connection));
	}

	#forget(connection: Connection): void {
		this.#connections.delete(connection);
		const at = this.#free.indexOf(connection);
		if (at !== -1) this.#free.splice(at, 1);
		if (this.#connections.size === 0) this.#refuseAll();
		this.#fill();
	}

	#fillLater(): void {
		if (this.#isClosed) return;
		this.#retry = setTimeout(() => {
			this.#retry = null;
			this.#fill();
		}, RETRY_MS);
	}

	#refuseAll(): void {
		for (const waiter of this.#waiters) {
			clearTimeout(waiter.timer);
			waiter.refuse(new PostgresFailure(null));
		}
		this.#waiters.clear();
	}
}
