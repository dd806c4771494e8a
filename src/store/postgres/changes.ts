import type { QueryResult } from "../task.ts";
import { type Changed, type Course, transact } from "./change.ts";
import type { Connection } from "./connection.ts";
import { currentDeadline, Deadline, Late } from "./deadline.ts";
import { PostgresFailure, toResortError, UnknownOutcome } from "./failures.ts";
import { Heads } from "./heads.ts";
import type { Tally } from "./metrics.ts";
import type { Outages } from "./outages.ts";
import { Pool } from "./pool.ts";

/** How long a change may take that belongs to no request, with all its attempts. */
const CHANGE_MS = 1_900;

/** How often a change is run that another one was in the way of. */
const ATTEMPTS = 10;

/** The longest pause before the next attempt. */
const PAUSE_MS = 20;

/** Runs changes side by side, each on a connection that has a slot for its news. */
export class Changes {
	/** How many changes have been committed. */
	commits = 0;
	readonly pool: Pool;
	readonly #tally: Tally;
	readonly #heads: Heads;
	readonly #slots = new WeakMap<Connection, number>();

	/**
	 * @param connections how many changes run at a time
	 * @param open opens a connection
	 * @param heads hears of what is committed
	 * @param tally counts what is run anew
	 * @param onSilence as of {@link Pool}
	 */
	constructor(
		connections: number,
		outages: Outages,
		open: () => Promise<Connection>,
		heads: Heads,
		tally: Tally,
		onSilence: (since: number) => void,
	) {
		this.#heads = heads;
		this.#tally = tally;
		const openWithSlot = async () => {
			const connection = await open();
			try {
				this.#slots.set(connection, await Heads.take(connection));
				return connection;
			} catch (error) {
				connection.close();
				throw error;
			}
		};
		this.pool = new Pool(connections, outages, openWithSlot, onSilence);
	}

	/**
	 * Opens the connections: the first is waited for.
	 * @throws PostgresFailure when it cannot be opened
	 */
	start(): Promise<void> {
		return this.pool.start();
	}

	/**
	 * Runs a rule in a transaction, and again when another one was in the way or the connection was lost before the
	 * commit.
	 * @throws ResortError `unavailable`, and what the rule throws
	 */
	async run<T>(task: () => QueryResult<T>): Promise<T> {
		const request = currentDeadline();
		const deadline = request ?? new Deadline(CHANGE_MS);
		try {
			for (let attempt = 1; ; attempt++) {
				try {
					return await this.#runOnce(task, deadline);
				} catch (error) {
					const isRetried =
						error instanceof PostgresFailure &&
						!(error instanceof UnknownOutcome) &&
						(error.isInTheWay || error.isLost) &&
						attempt < ATTEMPTS &&
						deadline.leftMs > PAUSE_MS &&
						this.pool.isOpen;
					if (!isRetried) throw toResortError(error);
				}
				this.#tally.retries++;
				await Bun.sleep(Math.random() * PAUSE_MS);
			}
		} finally {
			if (request === null) deadline.end();
		}
	}

	async #runOnce<T>(
		task: () => QueryResult<T>,
		deadline: Deadline,
	): Promise<T> {
		const connection = await this.pool.take(deadline.leftMs);
		const course: Course = { isGivenUp: false, isCommitting: false };
		try {
			return await deadline.keep(this.#transact(task(), connection, course));
		} catch (error) {
			if (!(error instanceof Late)) throw error;
			// The connection is given back when the server has answered.
			course.isGivenUp = true;
			if (!course.isCommitting) throw error;
			throw new UnknownOutcome(null);
		}
	}

	async #transact<T>(
		task: QueryResult<T>,
		connection: Connection,
		course: Course,
	): Promise<T> {
		const slot = this.#slots.get(connection);
		if (slot === undefined) throw new Error("a connection without a slot");
		let changed: Changed<T>;
		try {
			changed = await transact(task, connection, slot, course);
		} finally {
			this.pool.give(connection);
		}
		const { value, news, head } = changed;
		this.commits++;
		if (head !== null) this.#heads.hear(slot, head, news);
		return value;
	}

	/** Closes all connections. */
	close(): void {
		this.pool.close();
	}
}
