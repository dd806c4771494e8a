import type { ReservedSQL, SQL } from "bun";
import { SECOND_MS } from "../../lib/clock.ts";
import type { EngineRow, Value } from "../store.ts";
import type { Address, Host } from "./address.ts";
import { PostgresFailure } from "./failures.ts";

/** How long a server may take to let a connection in. */
const CONNECT_MS = SECOND_MS;

/** How long all servers of an address may take together: a start that fails ends within 5 seconds. */
const CONNECT_ALL_MS = 3 * SECOND_MS;

/** How long the server lets a statement run, or wait for a lock. */
const STATEMENT_MS = 1_500;

/** How long the server keeps a transaction that is asked for nothing: its instance may be gone. */
const IDLE_TRANSACTION_MS = 5 * SECOND_MS;

/** After so long without an answer the connection is taken for dead. */
const SILENCE_MS = 1_700;

/** How often it is looked for silence. */
const WATCH_MS = 100;

/** How a connection differs from the usual one. */
export interface ConnectionOptions {
	/** Whether statements may take as long as they need, as those of a migration do. */
	readonly isPatient?: boolean;
	/** Is called once, when the connection is lost or closed. */
	readonly onClose?: () => void;
}

/** A row with the numbers that the port promises: the server's bigints are times and counts, which are exact. */
type Rows = EngineRow[] & { readonly command?: string };

/**
 * One connection to a server. What is asked is sent at once and answered in order, so that several questions share a
 * round trip. It never reconnects: a transaction would go on without its beginning.
 */
export class Connection {
	readonly #client: SQL;
	readonly #session: ReservedSQL;
	#onClose: () => void = () => {};
	readonly #watch: Timer | null;
	/** When the oldest question that has no answer was asked, by `performance.now()`. */
	#asked: number[] = [];
	#isOpen = true;

	/** @param host the server that it leads to, as it may be told */
	private constructor(
		readonly host: string,
		client: SQL,
		session: ReservedSQL,
		isPatient: boolean,
	) {
		this.#client = client;
		this.#session = session;
		this.#watch = isPatient
			? null
			: setInterval(() => this.#lookForSilence(), WATCH_MS);
		this.#watch?.unref();
	}

	/**
	 * Connects to the first host that takes writes.
	 * @throws PostgresFailure of all hosts
	 */
	static async open(
		address: Address,
		options: ConnectionOptions = {},
	): Promise<Connection> {
		const failures: [string, PostgresFailure][] = [];
		for (const host of address.hosts) {
			try {
				return await Connection.#openAt(address, host, options);
			} catch (error) {
				const failure =
					error instanceof PostgresFailure ? error : new PostgresFailure(error);
				failures.push([nameOf(host), failure]);
			}
		}
		throw PostgresFailure.ofAll(failures);
	}

	static async #openAt(
		address: Address,
		host: Host,
		{ isPatient = false, onClose }: ConnectionOptions,
	): Promise<Connection> {
		let connection: Connection | null = null;
		const waitMs = Math.min(CONNECT_MS, CONNECT_ALL_MS / address.hosts.length);
		const client = new Bun.SQL({
			...clientOptions(address, host, isPatient, waitMs),
			onclose: () => connection?.close(),
		});
		try {
			// The client's own limit does not count the time that the look-up of a name takes.
			const session = await inTime(client.reserve(), waitMs);
			connection = new Connection(nameOf(host), client, session, isPatient);
			const [row] = await connection.query(
				"select (pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean)::text as reads",
				[],
			);
			if (row?.reads !== "false") throw { errno: "25006" };
			if (!connection.isOpen) throw new PostgresFailure(null);
			// Only now: nobody hears of the end of a connection that was never given out.
			if (onClose !== undefined) connection.#onClose = onClose;
			return connection;
		} catch (error) {
			connection?.close();
			client.close({ timeout: 0 }).catch(() => {});
			throw error;
		}
	}

	get isOpen(): boolean {
		return this.#isOpen;
	}

	/** How many questions have no answer yet. */
	get waiting(): number {
		return this.#asked.length;
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
		const { command } = await this.#ask(() => this.#session(COMMIT));
		if (command !== "COMMIT") throw new PostgresFailure({ errno: "40000" });
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
		this.#onClose();
	}

	async #ask(send: () => PromiseLike<unknown>): Promise<Rows> {
		if (!this.#isOpen) throw new PostgresFailure(null);
		this.#asked.push(performance.now());
		try {
			const rows = (await send()) as Rows;
			for (const row of rows) toNumbers(row);
			return rows;
		} catch (error) {
			throw new PostgresFailure(error);
		} finally {
			this.#asked.shift();
		}
	}

	#lookForSilence(): void {
		const [oldest] = this.#asked;
		if (oldest !== undefined && performance.now() - oldest > SILENCE_MS) {
			this.close();
		}
	}
}

/**
 * Waits for a connection, but not for longer than that.
 * @throws what the client throws when it takes too long
 */
async function inTime<T>(opening: Promise<T>, waitMs: number): Promise<T> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(
		() => late.reject({ code: "ERR_POSTGRES_CONNECTION_TIMEOUT" }),
		waitMs,
	);
	try {
		return await Promise.race([opening, late.promise]);
	} finally {
		clearTimeout(timer);
		opening.catch(() => {});
	}
}

/** A host as it may be told. */
function nameOf({ host, port, socket }: Host): string {
	return (
		socket ?? (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`)
	);
}

/** Options that leave nothing to variables of the environment, which the client would read. */
function clientOptions(
	{ user, database, sslmode, sslrootcert, applicationName }: Address,
	{ host, port, socket, password }: Host,
	isPatient: boolean,
	waitMs: number,
): ConstructorParameters<typeof Bun.SQL>[0] {
	const ca =
		sslrootcert === null || sslrootcert === "system" ? null : sslrootcert.pem;
	const tls =
		ca === null
			? sslmode
			: {
					ca,
					rejectUnauthorized: true,
					...(sslmode === "verify-ca" && {
						checkServerIdentity: () => undefined,
					}),
				};
	return {
		url: "postgres://x",
		adapter: "postgres",
		...(socket === null ? { hostname: host, port } : { path: socket }),
		username: user,
		password: () => password ?? "",
		database,
		tls: socket === null ? tls : "disable",
		channelBinding: "disable",
		connectionTimeout: waitMs / SECOND_MS,
		idleTimeout: 0,
		maxLifetime: 0,
		prepare: true,
		max: 1,
		bigint: true,
		connection: {
			application_name: applicationName ?? "agent-resort",
			options: "",
			TimeZone: "UTC",
			...(!isPatient && {
				statement_timeout: `${STATEMENT_MS}`,
				lock_timeout: `${STATEMENT_MS}`,
				idle_in_transaction_session_timeout: `${IDLE_TRANSACTION_MS}`,
			}),
		},
	} as ConstructorParameters<typeof Bun.SQL>[0];
}

/**
 * Texts alone, so that the server takes each as the type that its place asks for: with types of their own, each mix of
 * small and large numbers would be prepared anew. Anything else would fail inside the client, which does not end the
 * transaction.
 */
function encode(
	value: Value | readonly Value[],
): string | Uint8Array | string[] | null {
	if (value === null || value instanceof Uint8Array) return value;
	if (Array.isArray(value)) return value.map((each) => String(encode(each)));
	if (typeof value === "string") {
		// PostgreSQL has no NUL in texts. None is ever stored, so that no text with one is found.
		return value.replaceAll("\0", "\uFFFD");
	}
	if (typeof value === "number" && !Number.isFinite(value)) {
		throw new TypeError("a number that is not finite");
	}
	return String(value);
}

function toNumbers(row: EngineRow): void {
	for (const name in row) {
		const value = row[name];
		if (typeof value === "bigint") row[name] = Number(value);
	}
}

const templates = new Map<string, TemplateStringsArray>();

/** A text as a tagged template has it; the client knows it again by its identity. */
function templateOf(text: string): TemplateStringsArray {
	let template = templates.get(text);
	if (template === undefined) {
		const strings = [text] as string[] & { raw: string[] };
		Object.defineProperty(strings, "raw", { value: [text] });
		template = Object.freeze(strings) as TemplateStringsArray;
		templates.set(text, template);
	}
	return template;
}

const BEGIN = templateOf("begin");
const COMMIT = templateOf("commit");
const ROLLBACK = templateOf("rollback");
