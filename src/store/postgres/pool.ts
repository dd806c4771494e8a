import type { Connection } from "./connection.ts";
import { PostgresFailure } from "./failures.ts";
import type { Outages } from "./outages.ts";

/** How long is waited after an attempt to open a connection that failed, while no other is open. */
const RETRY_MS = 100;

/** The same while others are open: the server has no more to give, and each attempt costs it a process. */
const REFILL_MS = 2_000;

/** How long a change waits for a free connection. */
const WAIT_MS = 1_500;

const NONE_FREE = "all connections of this instance were in use for too long";

interface Waiter {
	readonly take: (connection: Connection) => void;
	readonly refuse: (reason: unknown) => void;
	readonly sinceMs: number;
}

/** A fixed number of connections, each opened anew when it is lost. */
export class Pool {
	readonly #size: number;
	readonly #outages: Outages;
	readonly #open: (onClose: () => void) => Promise<Connection>;
	readonly #connections = new Set<Connection>();
	readonly #free: Connection[] = [];
	readonly #waiters: Waiter[] = [];
	readonly #timers = new Set<Timer>();
	/** Why the last attempt to open a connection failed, in words; null when it did not. */
	#failure: string | null = null;
	#waits = 0;
	#isClosed = false;

	/**
	 * @param outages is told when no connection is open
	 * @param open opens a connection; it is tried again when that fails
	 */
	constructor(
		size: number,
		outages: Outages,
		open: (onClose: () => void) => Promise<Connection>,
	) {
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
			waiting: this.#waiters.length,
			waits: this.#waits,
		};
	}

	/**
	 * Opens all connections: the first is waited for.
	 * @throws PostgresFailure when it cannot be opened
	 */
	async start(): Promise<void> {
		await this.#connect();
		for (let at = 1; at < this.#size; at++) this.#connectLater(0);
	}

	/**
	 * The connection with the fewest questions, for several callers at a time.
	 * @throws PostgresFailure when none is open
	 */
	shared(): Connection {
		let best: Connection | null = null;
		for (const connection of this.#connections) {
			if (best === null || connection.waiting < best.waiting) best = connection;
		}
		if (best === null) throw this.#disconnected();
		return best;
	}

	/**
	 * Takes a connection for one caller alone, who gives it back.
	 * @throws PostgresFailure when none is open, or none becomes free in time
	 */
	take(): Connection | Promise<Connection> {
		const free = this.#free.pop();
		if (free !== undefined) return free;
		if (this.#connections.size === 0) {
			throw this.#disconnected();
		}
		return new Promise((take, refuse) => {
			const waiter = { take, refuse, sinceMs: performance.now() };
			this.#waiters.push(waiter);
			this.#waits++;
			if (this.#waiters.length === 1) this.#refuseLater(WAIT_MS);
		});
	}

	/** Gives a connection back that was taken; one that is closed is forgotten. */
	give(connection: Connection): void {
		if (!connection.isOpen) return;
		const waiter = this.#waiters.shift();
		if (waiter === undefined) this.#free.push(connection);
		else waiter.take(connection);
	}

	/** Closes all connections; lets those that are taken be given back first when they are soon. */
	close(): void {
		this.#isClosed = true;
		for (const timer of this.#timers) clearTimeout(timer);
		for (const connection of [...this.#connections]) connection.close();
	}

	async #connect(): Promise<void> {
		let known: Connection | null = null;
		const connection = await this.#open(() => {
			if (known !== null) this.#lose(known);
		});
		if (this.#isClosed) return connection.close();
		// It may have been lost before it was given out, as when the server stops.
		if (!connection.isOpen) throw new PostgresFailure(null);
		known = connection;
		this.#failure = null;
		this.#outages.end(this);
		this.#connections.add(connection);
		this.give(connection);
	}

	#lose(connection: Connection): void {
		this.#connections.delete(connection);
		const at = this.#free.indexOf(connection);
		if (at !== -1) this.#free.splice(at, 1);
		if (this.#connections.size === 0) this.#refuseAll();
		this.#connectLater(0);
	}

	#connectLater(delayMs: number): void {
		if (this.#isClosed) return;
		this.#after(delayMs, () =>
			this.#connect().catch((error) => {
				this.#failure = error instanceof Error ? error.message : String(error);
				const isEmpty = this.#connections.size === 0;
				if (isEmpty && !this.#isClosed) {
					this.#outages.begin(this, this.#failure);
				}
				this.#connectLater(isEmpty ? RETRY_MS : REFILL_MS);
			}),
		);
	}

	#disconnected(): PostgresFailure {
		return PostgresFailure.disconnected(this.#failure);
	}

	#refuseAll(): void {
		for (const { refuse } of this.#waiters.splice(0)) {
			refuse(this.#disconnected());
		}
	}

	/** Refuses those that have waited for too long, as long as anybody waits. */
	#refuseLater(delayMs: number): void {
		this.#after(delayMs, () => {
			const nowMs = performance.now();
			while (
				this.#waiters[0] !== undefined &&
				nowMs - this.#waiters[0].sinceMs >= WAIT_MS
			) {
				this.#waiters.shift()?.refuse(PostgresFailure.disconnected(NONE_FREE));
			}
			const [next] = this.#waiters;
			if (next !== undefined) {
				this.#refuseLater(next.sinceMs + WAIT_MS - nowMs);
			}
		});
	}

	#after(delayMs: number, run: () => void): void {
		const timer = setTimeout(() => {
			this.#timers.delete(timer);
			run();
		}, delayMs);
		this.#timers.add(timer);
	}
}
