import type { ReservedSQL, SQL } from "bun";
import { SECOND_MS } from "../../lib/clock.ts";
import type { EngineRow, Value } from "../store.ts";
import type { Address, Host } from "./address.ts";
import { clientOptions } from "./client-options.ts";
import { Late, within } from "./deadline.ts";
import { PostgresFailure } from "./failures.ts";
import { encode, templateOf, toNumbers } from "./wire.ts";

/** How long a server may take to let a connection in. */
const CONNECT_MS = SECOND_MS;

/** How long all servers of an address may take together: a start that fails ends within 5 seconds. */
const CONNECT_ALL_MS = 3 * SECOND_MS;

/** After so long without an answer the connection is taken for dead. */
const SILENCE_MS = 1_700;

/** The same once another connection was silent for so long. */
const DOUBT_MS = 500;

/** How soon the server must tell that a commit waits for a standby. */
const EXCUSE_MS = 500;

/** How often it is looked for silence. */
const WATCH_MS = 100;

/** How a connection differs from the usual one. */
export interface ConnectionOptions {
	/** Whether statements may take as long as they need, as those of a migration do. */
	readonly isPatient?: boolean;
	/**
	 * Whether the server process with this id waits for a standby: then its commit is waited for, however long that
	 * takes. A commit is taken for lost like any other question where this is not given.
	 */
	readonly isHeldUp?: (processId: number) => Promise<boolean>;
}

/** What the client answers. */
type Rows = EngineRow[] & { readonly command?: string };

/**
 * One connection to a server. What is asked is sent at once and answered in order, so that several questions share a
 * round trip. It never reconnects: a transaction would go on without its beginning.
 */
export class Connection {
	readonly #client: SQL;
	readonly #session: ReservedSQL;
	readonly #closed = Promise.withResolvers<void>();
	readonly #watch: Timer | null;
	readonly #isHeldUp: ConnectionOptions["isHeldUp"];
	/** How many questions have no answer yet. */
	#waiting = 0;
	/** When the connection was last heard of, or asked while nothing was waited for, by `performance.now()`. */
	#heardAt = 0;
	/** When the server last answered, by `performance.now()`. */
	#answeredAt = performance.now();
	/** How long it may be silent. */
	#patienceMs = SILENCE_MS;
	#isOpen = true;
	#isCommitting = false;
	#processId = 0;
	/** Until then silence is not looked for, by `performance.now()`. */
	#excusedUntil = 0;
	#silentSince: number | null = null;

	/** @param host the server that it leads to, as it may be told */
	private constructor(
		readonly host: string,
		client: SQL,
		session: ReservedSQL,
		{ isPatient = false, isHeldUp }: ConnectionOptions,
	) {
		this.#client = client;
		this.#session = session;
		this.#isHeldUp = isHeldUp;
		this.#watch = isPatient
			? null
			: setInterval(() => this.#lookForSilence(), WATCH_MS);
		this.#watch?.unref();
	}

	/**
	 * Connects to a host.
	 * @throws PostgresFailure also when it takes no writes
	 */
	static async open(
		address: Address,
		host: Host,
		options: ConnectionOptions,
	): Promise<Connection> {
		let connection: Connection | null = null;
		const waitMs = Math.min(CONNECT_MS, CONNECT_ALL_MS / address.hosts.length);
		const client = new Bun.SQL({
			...clientOptions(address, host, options.isPatient === true, waitMs),
			onclose: () => connection?.close(),
		});
		try {
			// The client's own limit does not count the time that the look-up of a name takes.
			const session = await within(client.reserve(), waitMs);
			connection = new Connection(nameOf(host), client, session, options);
			const [row] = await connection.query(
				"select (pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean)::text as reads, pg_backend_pid() as pid",
				[],
			);
			if (row?.reads !== "false") throw { errno: "25006" };
			connection.#processId = row.pid as number;
			if (!connection.isOpen) throw new PostgresFailure(null);
			return connection;
		} catch (error) {
			connection?.close();
			client.close({ timeout: 0 }).catch(() => {});
			if (error instanceof Late) {
				throw new PostgresFailure({ code: "ERR_POSTGRES_CONNECTION_TIMEOUT" });
			}
			throw error instanceof PostgresFailure
				? error
				: new PostgresFailure(error);
		}
	}

	get isOpen(): boolean {
		return this.#isOpen;
	}

	/** Resolves when it is lost or closed. */
	get closed(): Promise<void> {
		return this.#closed.promise;
	}

	/** Since when it had been silent when it was closed for that, by `performance.now()`; null when it was not. */
	get silentSince(): number | null {
		return this.#silentSince;
	}

	/**
	 * Says that the server may have been gone since then, by `performance.now()`. A connection that has not answered
	 * later must do so soon.
	 */
	doubt(since: number): void {
		if (this.#answeredAt >= since) return;
		this.#patienceMs = DOUBT_MS;
		if (this.#waiting === 0) this.query("select 1", []).catch(() => {});
	}

	/** How many questions have no answer yet. */
	get waiting(): number {
		return this.#waiting;
	}

	/**
	 * Asks one question; it is prepared at its first use.
	 * @param text with `$1` and so on
	 * @throws PostgresFailure
	 */
	query(
		text: string,
		parameters: readonly (Value | readonly Value[])[],
	): Promise<EngineRow[]> {
		const encoded = parameters.map(encode);
		return this.#ask(() =>
			// Without parameters the client would use the simple protocol, which shares no round trip.
			encoded.length === 0
				? this.#session(templateOf(text))
				: this.#session.unsafe(text, encoded),
		);
	}

	/** Runs statements that are not prepared; several are separated by semicolons. */
	script(text: string): Promise<EngineRow[]> {
		return this.#ask(() => this.#session.unsafe(text).simple());
	}

	/** Begins a transaction. */
	async begin(): Promise<void> {
		await this.#ask(() => this.#session(BEGIN));
	}

	/** @throws PostgresFailure with state 40000 when the server has rolled the transaction back instead */
	async commit(): Promise<void> {
		this.#isCommitting = true;
		try {
			const { command } = await this.#ask(() => this.#session(COMMIT));
			if (command !== "COMMIT") throw new PostgresFailure({ errno: "40000" });
		} finally {
			this.#isCommitting = false;
		}
	}

	async rollBack(): Promise<void> {
		await this.#ask(() => this.#session(ROLLBACK));
	}

	/** Closes it at once; what has no answer yet fails. */
	close(): void {
		if (!this.#isOpen) return;
		this.#isOpen = false;
		if (this.#watch !== null) clearInterval(this.#watch);
		this.#client.close({ timeout: 0 }).catch(() => {});
		this.#closed.resolve();
	}

	async #ask(send: () => PromiseLike<unknown>): Promise<Rows> {
		if (!this.#isOpen) throw new PostgresFailure(null);
		if (this.#waiting++ === 0) this.#heardAt = performance.now();
		try {
			const rows = (await send()) as Rows;
			for (const row of rows) toNumbers(row);
			this.#noteAnswer();
			return rows;
		} catch (error) {
			const failure = new PostgresFailure(error);
			if (!failure.isLost) this.#noteAnswer();
			throw failure;
		} finally {
			this.#waiting--;
			this.#heardAt = performance.now();
		}
	}

	#noteAnswer(): void {
		this.#answeredAt = performance.now();
		this.#patienceMs = SILENCE_MS;
	}

	#lookForSilence(): void {
		const nowMs = performance.now();
		if (this.#waiting === 0 || nowMs - this.#heardAt <= this.#patienceMs)
			return;
		if (this.#isCommitting && this.#isHeldUp !== undefined) {
			if (nowMs >= this.#excusedUntil) this.#askForExcuse(this.#isHeldUp);
		} else this.#closeSilent();
	}

	#closeSilent(): void {
		this.#silentSince = this.#heardAt;
		this.close();
	}

	/**
	 * A server process that waits for a standby does not see that its connection is closed. So it is not closed:
	 * otherwise each such commit would take one more of the server's connections.
	 */
	async #askForExcuse(
		isHeldUp: (processId: number) => Promise<boolean>,
	): Promise<void> {
		this.#excusedUntil = Number.POSITIVE_INFINITY;
		// Another connection is asked, and the server may be gone.
		const isExcused = await within(isHeldUp(this.#processId), EXCUSE_MS).catch(
			() => false,
		);
		this.#excusedUntil = performance.now() + SILENCE_MS;
		if (!isExcused && this.#isCommitting) this.#closeSilent();
	}
}

const BEGIN = templateOf("begin");
const COMMIT = templateOf("commit");
const ROLLBACK = templateOf("rollback");

/** A host as it may be told. */
export function nameOf({ host, port, socket }: Host): string {
	return (
		socket ?? (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`)
	);
}
