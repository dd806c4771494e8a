import { StartError } from "../../../lib/start-error.ts";
import {
	type CopiedTable,
	copiedTables,
	list,
} from "../../copy/copied-tables.ts";
import { ROWS_AT_ONCE, type Row } from "../../copy/place.ts";
import { type Address, shown } from "../address.ts";
import type { Connection } from "../connection.ts";
import { Connector } from "../connector.ts";
import { PostgresFailure, Unusable } from "../failures.ts";
import { countTakenSlots } from "../heads.ts";
import {
	type Query,
	schemaVersion,
	tryMigrationLock,
	versionOf,
} from "../migrate.ts";

/** How long tables are waited for that another program works on. */
const LOCK_PATIENCE = "2s";

/** The SQLSTATE for a lock that did not come in time. */
const LOCK_NOT_AVAILABLE = "55P03";

/** What the schema has beside the tables of a resort, for its instances alone. */
const INSTANCES_TABLES: Readonly<Record<string, readonly string[]>> = {
	heads: ["slot", "n", "touches"],
	limits: ["name", "key", "times", "ends_at"],
	leases: ["name", "holder", "renewals"],
};

const TABLES = `select relname as table, attname as column
	from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
	where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f')
	order by relname, attnum`;

/** A PostgreSQL database that no instance serves, and none can as long as the connection is open. */
export class PostgresPlace {
	readonly path: string;

	private constructor(
		address: Address,
		readonly connection: Connection,
		/** The version of its schema; 0 when it has no tables. */
		readonly version: number,
	) {
		this.path = shown(address);
	}

	/**
	 * Connects, and keeps instances from starting.
	 * @param signal closes the connection, so that all that is asked fails
	 * @throws StartError when it is served, another version's or not a resort's; PostgresFailure
	 */
	static async open(
		address: Address,
		signal: AbortSignal,
	): Promise<PostgresPlace> {
		const connection = await connect(address);
		if (signal.aborted) connection.close();
		signal.addEventListener("abort", () => connection.close());
		try {
			const query: Query = (text) => connection.script(text);
			// An instance that starts on an empty database waits for this lock, until the connection is closed.
			if (!(await tryMigrationLock(query))) {
				throw new StartError(
					`an instance, or another copy, is just starting on the database ${shown(address)}; stop it`,
					1,
				);
			}
			// A newer version is told of in other words than at a start.
			const version = await versionOf(query, Number.MAX_SAFE_INTEGER);
			const place = new PostgresPlace(address, connection, version);
			place.#requireVersion();
			await place.#requireUnserved();
			return place;
		} catch (error) {
			connection.close();
			if (!(error instanceof Unusable)) throw error;
			throw new StartError(
				`cannot use the database ${shown(address)}: ${error.message}`,
				1,
			);
		}
	}

	/**
	 * Takes all tables, inside a transaction, and looks once more whether an instance has come.
	 * @param mode of the locks
	 * @throws StartError when an instance has come, or the tables are not as resort makes them; PostgresFailure
	 */
	async lockTables(mode: "share" | "access exclusive"): Promise<void> {
		const names = copiedTables.map(({ name }) => name);
		await this.#lock(
			// The server may have limits for all that log in there.
			`set local statement_timeout = 0;
			set local idle_in_transaction_session_timeout = 0;
			set local lock_timeout = '${LOCK_PATIENCE}';
			lock table ${list([...Object.keys(INSTANCES_TABLES), ...names])} in ${mode} mode;
			set local lock_timeout = 0`,
		);
		await this.#requireUnserved();
		await this.#requireOwnTables();
	}

	/** All rows of a table in the order of its primary key, inside a transaction. */
	async *rows({
		name,
		columns,
		key,
	}: CopiedTable): AsyncGenerator<readonly Row[]> {
		const names = columns.map((column) => column.name);
		const cursor = `copy_of_${name}`;
		const fetch = () => {
			const rows = this.connection.query(
				`fetch ${ROWS_AT_ONCE} from ${cursor}`,
				[],
			);
			// It is looked at in its turn.
			rows.catch(() => {});
			return rows;
		};
		await this.connection.script(
			`declare ${cursor} no scroll cursor for select ${list(names)} from "${name}" order by ${list(key)}`,
		);
		// The next rows come while these are worked on.
		for (let next = fetch(); ; ) {
			const rows = await next;
			if (rows.length === 0) break;
			next = fetch();
			yield rows as Row[];
		}
		await this.connection.script(`close ${cursor}`);
	}

	async lastEventId(): Promise<number> {
		const [row] = await this.connection.query(
			"select last_value from event_ids",
			[],
		);
		return row?.last_value as number;
	}

	close(): void {
		this.connection.close();
	}

	#requireVersion(): void {
		if (this.version === 0 || this.version === schemaVersion) return;
		const which = this.version < schemaVersion ? "an older" : "a newer";
		throw new StartError(
			`the database ${this.path} is of ${which} version of resort (its schema is ${this.version}, this program knows ${schemaVersion})`,
			1,
		);
	}

	async #lock(text: string): Promise<void> {
		try {
			await this.connection.script(text);
		} catch (error) {
			const isTaken =
				error instanceof PostgresFailure && error.state === LOCK_NOT_AVAILABLE;
			if (!isTaken) throw error;
			throw new StartError(
				`another program works on the tables of the database ${this.path}; stop it`,
				1,
			);
		}
	}

	async #requireUnserved(): Promise<void> {
		const slots = await countTakenSlots(this.connection);
		if (slots === 0) return;
		throw new StartError(
			`the database ${this.path} is served: connections of instances that write to it: ${slots}; stop all instances`,
			1,
		);
	}

	async #requireOwnTables(): Promise<void> {
		const rows = await this.connection.query(TABLES, []);
		const found = new Set(
			rows.map(({ table, column }) => `${table}.${column}`),
		);
		const own = new Set([
			...copiedTables.flatMap(({ name, columns, generated }) =>
				[...columns.map((column) => column.name), ...generated].map(
					(column) => `${name}.${column}`,
				),
			),
			...Object.entries(INSTANCES_TABLES).flatMap(([name, columns]) =>
				columns.map((column) => `${name}.${column}`),
			),
		]);
		const [foreign] = found.difference(own);
		const [missing] = own.difference(found);
		if (foreign === undefined && missing === undefined) return;
		throw new StartError(
			`the database ${this.path} is not as resort makes it: column ${foreign ?? missing} is ${foreign === undefined ? "missing" : "foreign"}`,
			1,
		);
	}
}

async function connect(address: Address): Promise<Connection> {
	try {
		return await new Connector(address).open({ isPatient: true });
	} catch (error) {
		if (!(error instanceof PostgresFailure)) throw error;
		throw new StartError(
			`cannot use the database ${shown(address)} (${error.message})`,
			1,
		);
	}
}
