import { Pool, type PoolClient } from "pg";
import type { Outages } from "./outages.ts";
import { NotConnected, PostgresFailure } from "./postgres-failure.ts";
import { PostgresSession } from "./postgres-session.ts";
import type { Servers } from "./servers.ts";

/** How long a caller waits for a connection. */
const WAIT_MS = 1_500;

/** The pause before another attempt to connect. */
const RETRY_MS = 100;

/** The SQLSTATE of a statement that was prepared before the schema changed: it fails on its connection from then on. */
const STALE_PLAN = "0A000";

const NONE_FREE = "all connections of this instance were in use for too long";

type PooledSession = PostgresSession & Pick<PoolClient, "release">;

/**
 * A bounded number of connections. While none can be opened, callers fail at once and one attempt after the other is
 * made: each costs the server a process.
 */
export class ConnectionPool {
	/** How many callers had to wait for a connection. */
	waits = 0;
	readonly #servers: Servers;
	readonly #outages: Outages;
	readonly #pool: Pool;
	readonly #max: number;
	readonly #open = new Set<PostgresSession>();
	readonly #used = new Set<PostgresSession>();
	/** Why no connection can be opened; null if one could. */
	#failure: NotConnected | null = null;
	#isClosed = false;

	/** @param onConnect runs when a connection has been opened */
	constructor(
		servers: Servers,
		max: number,
		outages: Outages,
		onConnect: (session: PostgresSession) => Promise<void>,
	) {
		this.#servers = servers;
		this.#outages = outages;
		this.#max = max;
		this.#pool = new Pool({
			max,
			idleTimeoutMillis: 0,
			connectionTimeoutMillis: WAIT_MS,
			Client: class extends PostgresSession {
				constructor() {
					super(servers);
				}
			},
			onConnect: (client) => onConnect(client as PostgresSession),
		});
		this.#pool.on("error", () => {});
		this.#pool.on("connect", (client) => this.#open.add(toSession(client)));
		this.#pool.on("remove", (client) => this.#open.delete(toSession(client)));
	}

	/** Counts of connections and of the callers that wait for one. */
	get statistics(): { open: number; used: number; waiting: number } {
		return {
			open: this.#open.size,
			used: this.#used.size,
			waiting: this.#pool.waitingCount,
		};
	}

	/**
	 * Opens all connections. Resolves with the first.
	 * @throws NotConnected
	 */
	start(): Promise<void> {
		const opening = Array.from({ length: this.#max }, () =>
			this.use(async () => {}),
		);
		return Promise.any(opening).catch(() => opening[0]);
	}

	/**
	 * Runs work on a connection that nobody else uses meanwhile.
	 * @throws NotConnected, and what the work throws
	 */
	async use<T>(work: (session: PostgresSession) => Promise<T>): Promise<T> {
		const session = await this.#acquire();
		this.#used.add(session);
		let isBroken = false;
		try {
			return await work(session);
		} catch (error) {
			isBroken =
				error instanceof PostgresFailure &&
				(error.isConnectionLost || error.state === STALE_PLAN);
			throw error;
		} finally {
			this.#used.delete(session);
			session.release(isBroken);
		}
	}

	/** Closes the connections that are not in use: another one to the same server was silent. */
	dropIdle(): void {
		for (const session of this.#open.difference(this.#used)) session.destroy();
	}

	/** Closes all connections. */
	async close(): Promise<void> {
		this.#isClosed = true;
		void this.#pool.end();
		await Promise.all([...this.#open].map((session) => session.close()));
	}

	async #acquire(): Promise<PooledSession> {
		if (this.#failure !== null) throw this.#failure;
		const isFull = this.#open.size >= this.#max;
		if (isFull && this.#used.size >= this.#max) this.waits++;
		const endMs = performance.now() + WAIT_MS;
		for (;;) {
			try {
				return await this.#connect();
			} catch (error) {
				if (!(error instanceof PostgresFailure)) {
					throw new NotConnected(error, NONE_FREE);
				}
				if (!(error instanceof NotConnected)) throw error;
				if (this.#open.size === 0) throw this.#beginOutage(error);
				if (performance.now() > endMs) throw error;
			}
			await Bun.sleep(RETRY_MS);
		}
	}

	#connect(): Promise<PooledSession> {
		return this.#servers.connect(async () => {
			try {
				return toSession(await this.#pool.connect());
			} catch (error) {
				// Set if a server took too long to accept a connection.
				const { cause } = error as Error;
				throw cause instanceof NotConnected ? cause : error;
			}
		});
	}

	#beginOutage(failure: NotConnected): NotConnected {
		if (this.#failure === null && !this.#isClosed) {
			this.#outages.begin(this, failure.message);
			void this.#reconnect();
		}
		this.#failure = failure;
		return failure;
	}

	async #reconnect(): Promise<void> {
		while (!this.#isClosed) {
			await Bun.sleep(RETRY_MS);
			try {
				const session = await this.#connect();
				session.release();
				this.#failure = null;
				this.#outages.end(this);
				return;
			} catch (error) {
				if (error instanceof NotConnected) this.#failure = error;
			}
		}
	}
}

/** Every client of a pool is made by its own class. */
function toSession(client: PoolClient): PooledSession {
	return client as PoolClient & PooledSession;
}
