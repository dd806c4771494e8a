import type { Connection } from "./connection.ts";
import { PostgresFailure } from "./failures.ts";

/** How long is waited before a lost connection is opened anew, and after each attempt that failed. */
const RETRY_MS = 100;

/** How long a change waits for a free connection. */
const WAIT_MS = 1_500;

interface Waiter {
	readonly take: (connection: Connection) => void;
	readonly refuse: (reason: unknown) => void;
	readonly sinceMs: number;
}

/** A fixed number of connections, each opened anew when it is lost. */
export class Pool {
	readonly #size: number;
	readonly #open: (onClose: () => void) => Promise<Connection>;
	readonly #connections = new Set<Connection>();
	readonly #free: Connection[] = [];
	readonly #waiters: Waiter[] = [];
	readonly #timers = new Set<Timer>();
	#isClosed = false;

	/** @param open opens a connection; it is tried again when that fails */
	constructor(
		size: number,
		open: (onClose: () => void) => Promise<Connection>,
	) {
		this.#size = size;
		this.#open = open;
	}

	/** How many connections are open, in use, and how many changes wait for one. */
	get figures(): { open: number; used: number; waiting: number } {
		const open = this.#connections.size;
		return {
			open,
			used: open - this.#free.length,
			waiting: this.#waiters.length,
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
		if (best === null) throw new PostgresFailure(null);
		return best;
	}

	/**
	 * Takes a connection for one caller alone, who gives it back.
	 * @throws PostgresFailure when none is open, or none becomes free in time
	 */
	take(): Connection | Promise<Connection> {
		const free = this.#free.pop();
		if (free !== undefined) return free;
		if (this.#connections.size === 0) throw new PostgresFailure(null);
		return new Promise((take, refuse) => {
			const waiter = { take, refuse, sinceMs: performance.now() };
			this.#waiters.push(waiter);
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
		const connection = await this.#open(() => {
			this.#connections.delete(connection);
			const at = this.#free.indexOf(connection);
			if (at !== -1) this.#free.splice(at, 1);
			if (this.#connections.size === 0) this.#refuseAll();
			this.#connectLater(0);
		});
		if (this.#isClosed) connection.close();
		else {
			this.#connections.add(connection);
			this.give(connection);
		}
	}

	#connectLater(delayMs: number): void {
		if (this.#isClosed) return;
		this.#after(delayMs, () =>
			this.#connect().catch(() => this.#connectLater(RETRY_MS)),
		);
	}

	#refuseAll(): void {
		for (const { refuse } of this.#waiters.splice(0)) {
			refuse(new PostgresFailure(null));
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
				this.#waiters.shift()?.refuse(new PostgresFailure(null));
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
