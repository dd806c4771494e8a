import { Pool, type PoolClient } from "pg";
import { NotConnected, PostgresFailure, STALE_PLAN } from "./postgres-failure.ts";
import { PostgresSession } from "./postgres-session.ts";
import type { Servers } from "./servers.ts";

/** How long a caller waits for a connection. */
const WAIT_MS = 1_500;

/** The pause between attempts to connect. */
const RETRY_MS = 100;

/** The pools of an instance: for changes, for reads, and for checking what other instances have changed. */
export type Pools = Readonly<Record<"write" | "read" | "look", ConnectionPool>>;

/**
 * A pool with a maximum number of connections. While no connection can be opened, callers fail at once. The
 * pool then makes only one attempt to connect at a time, because each attempt starts a process on the server.
 */
export class ConnectionPool {
	/** The number of callers that had to wait for a connection. */
	waits = 0;
	/** Why no connection can be opened; null if connections can be opened. */
	failure: NotConnected | null = null;
	readonly #pool: Pool;
	readonly #open = new Set<PostgresSession>();
	readonly #used = new Set<PostgresSession>();

	/** @param onConnect called when a connection has been opened */
	constructor(
		private readonly servers: Servers,
		private readonly max: number,
		onConnect: (session: PostgresSession) => Promise<void>,
	) {
		this.#pool = new Pool({
			max,
			idleTimeoutMillis: 0,
			connectionTimeoutMillis: WAIT_MS,
			Client: class extends PostgresSession {
				constructor() {
					super(servers);
				}
			},
			onConnect: async (client) => {
				const session = client as PostgresSession;
				await onConnect(session);
				this.#open.add(session);
				session.once("end", () => this.#open.delete(session));
			},
		});
		this.#pool.on("error", () => {});
	}

	/** The numbers of open connections, of connections in use, and of callers that wait for a connection. */
	get statistics(): { open: number; used: number; waiting: number } {
		return { open: this.#open.size, used: this.#used.size, waiting: this.#pool.waitingCount };
	}

	/** Opens all connections. Resolves when the first is open. @throws NotConnected */
	start(): Promise<void> {
		const opening = Array.from({ length: this.max }, () => this.use(async () => {}));
		return Promise.any(opening).catch(() => opening[0]);
	}

	/** Runs work on a connection that nobody else uses meanwhile. @throws NotConnected; errors of the work */
	async use<T>(work: (session: PostgresSession) => Promise<T>): Promise<T> {
		const session = await this.#acquire();
		this.#used.add(session);
		let isBroken = false;
		try {
			return await work(session);
		} catch (error) {
			isBroken = error instanceof PostgresFailure && (error.isConnectionLost || error.state === STALE_PLAN);
			throw error;
		} finally {
			this.#used.delete(session);
			session.release(isBroken);
		}
	}

	/** Closes the unused connections. Called when the server did not respond on another connection. */
	dropIdle(): void {
		for (const session of this.#open.difference(this.#used)) session.destroy();
	}

	async close(): Promise<void> {
		void this.#pool.end();
		await Promise.all([...this.#open].map((session) => session.close()));
	}

	/** Returns a connection. If all are in use, waits until one becomes free. @throws NotConnected */
	async #acquire(): Promise<PostgresSession> {
		if (this.failure !== null) throw this.failure;
		if (this.#used.size >= this.max) this.waits++;
		const endMs = performance.now() + WAIT_MS;
		for (;;) {
			try {
				return await this.#connect();
			} catch (error) {
				if (!(error instanceof PostgresFailure)) {
					throw new NotConnected("all connections of this instance were in use for too long");
				}
				if (!(error instanceof NotConnected)) throw error;
				if (this.#open.size === 0) throw this.#beginOutage(error);
				if (performance.now() > endMs) throw error;
			}
			await Bun.sleep(RETRY_MS);
		}
	}

	#connect(): Promise<PostgresSession> {
		return this.servers.connect(async () => {
			try {
				return (await this.#pool.connect()) as PoolClient & PostgresSession;
			} catch (error) {
				// If a server took too long to accept a connection, the NotConnected is the `cause` of the
				// pool's error.
				const { cause } = error as Error;
				throw cause instanceof NotConnected ? cause : error;
			}
		});
	}

	#beginOutage(failure: NotConnected): NotConnected {
		if (this.failure === null && !this.#pool.ending) void this.#reconnect();
		this.failure = failure;
		return failure;
	}

	async #reconnect(): Promise<void> {
		while (!this.#pool.ending) {
			await Bun.sleep(RETRY_MS);
			try {
				const session = await this.#connect();
				session.release();
				this.failure = null;
				return;
			} catch (error) {
				if (error instanceof NotConnected) this.failure = error;
			}
		}
	}
}
