import { Client, type PoolClient, type QueryResult, types } from "pg";
import { LONGEST_TIMER_MS } from "../../core/lib/clock.ts";
import type { EngineRow } from "../../core/store/store.ts";
import { Batch, type BoundStatement, type StatementResult } from "./batch.ts";
import type { Address, Host } from "./credentials.ts";
import { within } from "./deadline.ts";
import { failureOf, PostgresFailure } from "./postgres-failure.ts";
import { CONNECT_MS, SET_TIMEOUTS, SET_UP, Servers, SILENCE_MS } from "./servers.ts";

/** The time limit for checking whether a commit waits for a standby. */
const STANDBY_CHECK_MS = 500;

/** How long {@link PostgresSession.close} waits for the server to end the session. */
const CLOSE_MS = 500;

/** The advisory lock of serving instances. Their connections for writes hold it in shared mode. */
const SERVING_LOCK = 7_351_206;

const CHECK = `select pg_backend_pid() as pid,
	pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as readonly`;

/** How many times {@link PostgresSession.requireOwnProcess} compares the processes of two connections. */
const COMPARISONS = 5;

/** Reads bigint as a number, because the schema uses bigint only for times and counts. */
types.setTypeParser(types.builtins.INT8, Number);

/** A connection. Several statements can share a round trip, because the server responds in their order. */
export class PostgresSession extends Client implements AsyncDisposable {
	/** Returns the connection to its pool. The pool sets this function. */
	declare release: PoolClient["release"];
	/** The parameters of the login; set by the library. */
	declare readonly connectionParameters: { options: string };
	readonly #host: Host;
	#processId = 0;
	readonly #prepared: ConstructorParameters<typeof Batch>[1] = new Map();

	constructor(
		private readonly servers: Servers,
		private readonly hasTimeouts = true,
	) {
		const host = servers.current;
		super(servers.configFor(host, hasTimeouts));
		this.#host = host;
		// Clears the options, because the library takes them from the environment variable PGOPTIONS.
		this.connectionParameters.options = "";
		// Ignores errors of the connection here, because the running statements fail with the same error.
		this.on("error", () => {});
	}

	/** Connects, and checks that the server accepts writes. @throws NotConnected */
	override connect(): Promise<this>;
	override connect(callback: (error: Error) => void): undefined;
	override connect(callback?: (error: Error) => void) {
		const connecting = this.#connect();
		if (callback === undefined) return connecting;
		connecting.then(() => callback(undefined as unknown as Error), callback);
		return undefined;
	}

	/** Runs a statement with parameters `$1` and so on. @throws PostgresFailure */
	async run(text: string, parameters: BoundStatement["parameters"] = []): Promise<EngineRow[]> {
		const [result] = await this.runBatch([{ text, parameters }]);
		return result?.rows ?? [];
	}

	/**
	 * Runs statements in one round trip. Returns their results in the same order.
	 * @throws PostgresFailure of the first statement that failed
	 */
	runBatch(statements: readonly BoundStatement[]): Promise<readonly StatementResult[]> {
		const batch = new Batch(statements, this.#prepared);
		return this.#send(() => this.query(batch).results);
	}

	/** Runs statements separated by semicolons. Returns the rows of the last one. @throws PostgresFailure */
	async runScript(text: string): Promise<EngineRow[]> {
		return lastRows(await this.#send(() => this.query<EngineRow>({ text })));
	}

	/**
	 * Commits a transaction. While the server waits for an unreachable synchronous standby, this function waits
	 * for the server. If it closed the connection instead, each further commit would occupy one more session of
	 * the server. If the server does not respond for another reason, this function closes the connection.
	 * @param isHeldUp calls {@link PostgresSession.isHeldUp} on another connection
	 * @throws PostgresFailure, with state 40000 if the server has rolled the transaction back
	 */
	async commit(isHeldUp: (processId: number) => Promise<boolean>): Promise<void> {
		let isCommitting = true;
		const watch = setInterval(async () => {
			const waits = await within(isHeldUp(this.#processId), STANDBY_CHECK_MS).catch(() => false);
			if (!waits && isCommitting) this.#closeSilent();
		}, SILENCE_MS);
		try {
			const query = { text: "commit", query_timeout: LONGEST_TIMER_MS };
			const { command } = await this.#send(() => this.query(query));
			if (command !== "COMMIT") {
				throw new PostgresFailure("the server rolled the change back", "40000");
			}
		} finally {
			isCommitting = false;
			clearInterval(watch);
		}
	}

	/** Whether the server process with this id is waiting for a standby. */
	async isHeldUp(processId: number): Promise<boolean> {
		const rows = await this.run("select 1 from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'", [
			processId,
		]);
		return rows.length > 0;
	}

	/** Marks the connection as belonging to a serving instance. */
	async markServing(): Promise<void> {
		await this.run(`select pg_advisory_lock_shared(${SERVING_LOCK}, 0)`);
	}

	/** Counts the connections of serving instances, including instances of earlier versions. */
	async countServing(): Promise<number> {
		const [row] = await this.run(`select count(*) as connections from pg_locks
			where locktype = 'advisory' and objsubid = 2 and classid::bigint = ${SERVING_LOCK}
				and database = (select oid from pg_database where datname = current_database())`);
		return row?.connections as number;
	}

	/**
	 * Requires that this connection has a server process of its own, for prepared statements, locks and
	 * settings. A transaction pooler runs each statement in its most recently (or least recently) used process,
	 * whichever connection sent the statement. So two connections would share a process, or change processes.
	 * @throws PostgresFailure
	 */
	async requireOwnProcess(open: () => Promise<PostgresSession>): Promise<void> {
		const { processID } = this as unknown as { readonly processID: number };
		// A pooler announces an invented process id. So if the id is the real one, there is no pooler.
		if (processID === this.#processId) return;
		await using other = await open();
		for (let times = 0; times < COMPARISONS; times++) {
			for (const session of [this, other, other]) {
				const [row] = await session.runScript("select pg_backend_pid() as pid");
				const isOwn = row?.pid === session.#processId;
				if (isOwn && this.#processId !== other.#processId) continue;
				throw new PostgresFailure(
					"the connection pooler does not pool sessions: set pool_mode = session in pgbouncer.ini, or connect to the server itself",
				);
			}
		}
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	/** Closes the connection. Waits a short time for the server to end the session and release its locks. */
	async close(): Promise<void> {
		await within(this.end(), CLOSE_MS).catch(() => {});
		this.destroy();
	}

	/** Closes the connection at once. Running statements fail. */
	destroy(): void {
		this.connection.stream.destroy();
	}

	/** Called by the library if the server requests the password in clear text. */
	_handleAuthCleartextPassword(): void {
		this.#refuse("in clear text");
	}

	/** Called by the library if the server requests an MD5 hash of the password. */
	_handleAuthMD5Password(): void {
		this.#refuse("as an MD5 hash");
	}

	/** Makes the login fail: only SCRAM (RFC 7677) hides the password and proves that the server has it. */
	#refuse(form: string): void {
		const failure = new PostgresFailure(
			`the server requests the password ${form}, which is never sent: set the method scram-sha-256 in pg_hba.conf, then set the password again with password_encryption = 'scram-sha-256'`,
		);
		this.connection.emit("error", failure);
	}

	async #connect(): Promise<this> {
		try {
			await super.connect();
			const text = [SET_UP, ...(this.hasTimeouts ? [SET_TIMEOUTS] : []), CHECK].join("; ");
			const script = { text, query_timeout: CONNECT_MS };
			const [row] = lastRows(await this.query<EngineRow>(script));
			this.#processId = Number(row?.pid);
			if (row?.readonly !== false) {
				throw new PostgresFailure(
					"the server accepts no writes: it is a standby, or read-only (25006)",
					"25006",
				);
			}
			return this;
		} catch (error) {
			this.destroy();
			throw this.servers.failed(this.#host, error);
		}
	}

	async #send<T>(send: () => Promise<T>): Promise<T> {
		const { stream } = this.connection;
		stream.cork();
		process.nextTick(() => stream.uncork());
		try {
			return await send();
		} catch (error) {
			if (/read timeout/.test(String(error))) this.#closeSilent();
			throw failureOf(error);
		}
	}

	#closeSilent(): void {
		this.destroy();
		this.servers.onSilence();
	}
}

/** Returns the rows of the last statement. The types of the library do not cover several results. */
function lastRows(result: QueryResult<EngineRow>): EngineRow[] {
	return [result].flat().at(-1)?.rows ?? [];
}

/**
 * Opens a connection without a pool.
 * @param hasTimeouts false if statements may run for any length of time
 * @throws NotConnected; PostgresFailure if a pooler does not pool sessions
 */
export function openSession(address: Address, hasTimeouts = true): Promise<PostgresSession> {
	const servers = new Servers(address);
	const open = () => new PostgresSession(servers, hasTimeouts).connect();
	return servers.connect(async () => {
		await using stack = new AsyncDisposableStack();
		const session = stack.use(await open());
		await session.requireOwnProcess(open);
		stack.move();
		return session;
	});
}
