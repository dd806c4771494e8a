import type { ClientConfig } from "pg";
import { SECOND_MS } from "../../core/lib/clock.ts";
import { messageOf } from "../../core/lib/error-reason.ts";
import type { Address, Host } from "./credentials.ts";
import { formatHost, isSocket } from "./database-url.ts";
import { failureOf, NotConnected, PostgresFailure } from "./postgres-failure.ts";

/** The time that a server has to accept a connection. */
export const CONNECT_MS = SECOND_MS;

/** The time that all servers together have to accept a connection, so that a start fails within 5 seconds. */
const CONNECT_ALL_MS = 3 * SECOND_MS;

/** The maximum time for which the server runs a statement or waits for a lock. */
const STATEMENT_MS = 1_500;

/** A connection that is silent for this time is closed. A working server ends every statement earlier. */
export const SILENCE_MS = 1_700;

/** After this time without a statement, the server ends a transaction, because the instance may be gone. */
const IDLE_TRANSACTION_MS = 2_500;

/**
 * The statements that set up every session. With the keepalive settings, a server notices within 25 seconds
 * that an instance is gone. Startup parameters are not used, because PgBouncer would refuse them.
 */
export const SET_UP =
	"set TimeZone = UTC; set jit = off; set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/**
 * The statements that set up a session with timeouts. The server plans every statement only once, with the
 * index that provides the order of the rows, so that a page is fast even for an agent with many rows.
 */
export const SET_TIMEOUTS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_sort = off; set random_page_cost = 1.1;
	set statement_timeout = ${STATEMENT_MS}; set lock_timeout = ${STATEMENT_MS}; set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`;

/** The servers of an address. Remembers which of them accepted the last connection. */
export class Servers {
	readonly #withoutTls = new Set<Host>();
	#next = 0;
	/** Called when a server did not respond in time. */
	onSilence = () => {};

	constructor(private readonly address: Address) {}

	get current(): Host {
		const { hosts } = this.address;
		return hosts[this.#next % hosts.length] as Host;
	}

	/**
	 * Connects to the first server that accepts writes, starting with the one that accepted the last
	 * connection.
	 * @param connect connects to {@link current}
	 * @throws NotConnected with the failures of all servers
	 */
	async connect<T>(connect: () => Promise<T>): Promise<T> {
		const { length } = this.address.hosts;
		const failures: string[] = [];
		for (;;) {
			const server = formatHost(this.current);
			const { size } = this.#withoutTls;
			try {
				return await connect();
			} catch (error) {
				if (!(error instanceof NotConnected)) throw error;
				if (this.#withoutTls.size > size) continue;
				if (length === 1) throw error;
				failures.push(`${server}: ${error.message}`);
				if (failures.length < length) continue;
				throw new NotConnected(failures.join("; "), error.state);
			}
		}
	}

	/**
	 * Selects the server to try after a failure: the next server of the address or, if `sslmode` allows plain
	 * text and the failed server does not support TLS, the failed server again, without TLS.
	 * @returns the error to throw
	 */
	failed(host: Host, error: unknown): NotConnected {
		const { sslmode } = this.address;
		const mayDowngrade = sslmode === "prefer" || sslmode === "allow";
		if (mayDowngrade && /not support SSL/.test(messageOf(error))) {
			this.#withoutTls.add(host);
		} else if (host === this.current) this.#next++;
		const { message, state } = failureOf(error);
		return new NotConnected(message, state);
	}

	/** Returns all options that the client library would otherwise read from the environment. */
	configFor(host: Host, hasTimeouts: boolean): ClientConfig {
		const { user, database, applicationName, hosts } = this.address;
		return {
			host: host.host,
			port: host.port,
			user,
			password() {
				if (host.password !== null) return host.password;
				throw new PostgresFailure(
					"the server requests a password: write it to the password file of this user (~/.pgpass), or run this as the user that runs the instance",
				);
			},
			database,
			ssl: this.#tlsFor(host),
			application_name: applicationName ?? "agent-resort",
			client_encoding: "utf8",
			connectionTimeoutMillis: Math.min(CONNECT_MS, CONNECT_ALL_MS / hosts.length),
			keepAlive: true,
			pipeline: true,
			...(hasTimeouts && { query_timeout: SILENCE_MS }),
		};
	}

	#tlsFor(host: Host): ClientConfig["ssl"] {
		const { sslmode, authorities } = this.address;
		const hasTls = sslmode !== "disable" && !isSocket(host) && !this.#withoutTls.has(host);
		if (!hasTls) return false;
		if (sslmode !== "verify-ca" && sslmode !== "verify-full") {
			return { rejectUnauthorized: false };
		}
		return {
			...(authorities !== null && { ca: authorities }),
			...(sslmode === "verify-ca" && { checkServerIdentity: () => undefined }),
		};
	}
}
