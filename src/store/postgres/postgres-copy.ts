import { StartError } from "../../lib/start-error.ts";
import { type CopiedTable, copiedTables, list } from "../copy/copied-tables.ts";
import {
	ROWS_AT_ONCE,
	type Row,
	type Source,
	type Target,
} from "../copy/copy-endpoints.ts";
import type { Address } from "./credentials.ts";
import { withoutPassword } from "./database-url.ts";
import { cannotUse, PostgresFailure, Unusable } from "./postgres-failure.ts";
import {
	readVersion,
	schemaVersion,
	tryMigrationLock,
	wholeSchema,
} from "./postgres-migrations.ts";
import { openSession, type PostgresSession } from "./postgres-session.ts";
import { Servers } from "./servers.ts";

/** How long a copy waits for tables that another program has locked. */
const LOCK_TIMEOUT = "2s";

/** The tables that only instances use; they are not copied. */
const instanceTables: Readonly<Record<string, readonly string[]>> = {
	heads: ["slot", "n", "touches"],
	limits: ["name", "key", "times", "ends_at"],
	leases: ["name", "holder", "renewals"],
};

const COLUMNS = `select relname || '.' || attname as column
	from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
	where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f')
	order by relname, attnum`;

/** Foreign keys, and indexes that belong to no constraint: statements that drop and create them. */
const DERIVED = `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
		format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create, 1 as rank
	from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace
	union all select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), 0
	from pg_index join pg_class on pg_class.oid = indrelid
	where relnamespace = current_schema()::regnamespace
		and not exists (select 1 from pg_constraint where conindid = indexrelid)`;

/**
 * A PostgreSQL database that no instance serves, or can start to serve, until it is closed. A target is written in one
 * transaction, together with its schema if there is none.
 */
export class PostgresCopy implements Target {
	readonly #session: PostgresSession;
	/** The statements that create what {@link openTarget} has dropped. */
	#createDerived: string[] = [];

	private constructor(
		readonly path: string,
		session: PostgresSession,
	) {
		this.#session = session;
	}

	/**
	 * Opens a database to read it; until it is closed nobody can write to it.
	 * @param signal closes the connection, so that every statement fails
	 * @throws StartError if it is served, empty, not a resort's, or has another version; PostgresFailure
	 */
	static openSource(address: Address, signal: AbortSignal): Promise<Source> {
		return PostgresCopy.#open(address, signal, async (copy, version) => {
			if (version === 0) throw copy.#refusal("is empty");
			// The locks precede the snapshot, which the first SELECT takes.
			await copy.#session.runScript("begin isolation level repeatable read");
			await copy.#lockTables("share");
		});
	}

	/**
	 * Opens an empty database to write to it.
	 * @throws StartError if it is served, not empty, or has another version; PostgresFailure
	 */
	static openTarget(address: Address, signal: AbortSignal): Promise<Target> {
		return PostgresCopy.#open(address, signal, async (copy, version) => {
			await copy.#session.runScript("begin");
			if (version === 0) await copy.#session.runScript(wholeSchema);
			await copy.#lockTables("access exclusive");
			for (const { name } of copiedTables) {
				const rows = await copy.#session.run(`select 1 from "${name}" limit 1`);
				if (rows.length === 0) continue;
				throw copy.#refusal(
					`is not empty: table ${name} has rows; give an empty one`,
				);
			}
			// Checked and built over all rows at once, these take half of the time.
			const derived = await copy.#session.run(`${DERIVED} order by rank desc`);
			await copy.#session.runScript(
				derived.map((statement) => statement.drop).join(";\n"),
			);
			copy.#createDerived = derived
				.toReversed()
				.map((statement) => `${statement.create}`);
		});
	}

	static async #open(
		address: Address,
		signal: AbortSignal,
		prepare: (copy: PostgresCopy, version: number) => Promise<void>,
	): Promise<PostgresCopy> {
		const path = withoutPassword(address);
		const session = await openSession(new Servers(address), false).catch(
			(error) => {
				throw cannotUse(path, error);
			},
		);
		if (signal.aborted) session.destroy();
		signal.addEventListener("abort", () => session.destroy());
		const copy = new PostgresCopy(path, session);
		try {
			await prepare(copy, await copy.#requireIdle());
			return copy;
		} catch (error) {
			await copy.close();
			throw error instanceof Unusable ? cannotUse(path, error) : error;
		}
	}

	async *rows({
		name,
		columns,
		key,
	}: CopiedTable): AsyncGenerator<readonly Row[]> {
		const names = columns.map((column) => column.name);
		const cursor = `copy_of_${name}`;
		const fetch = () => {
			const rows = this.#session.run(`fetch ${ROWS_AT_ONCE} from ${cursor}`);
			// Awaited by the loop below.
			rows.catch(() => {});
			return rows;
		};
		await this.#session.runScript(
			`declare ${cursor} no scroll cursor for select ${list(names)} from "${name}" order by ${list(key)}`,
		);
		// The next rows arrive while the caller processes these.
		for (let next = fetch(); ; ) {
			const rows = await next;
			if (rows.length === 0) break;
			next = fetch();
			yield rows as Row[];
		}
		await this.#session.runScript(`close ${cursor}`);
	}

	/** Inserts from JSON, which is faster than jsonb or one array a column. */
	async add(
		{ name, columns }: CopiedTable,
		_rows: readonly Row[],
		json: string,
	): Promise<void> {
		const names = list(columns.map((column) => column.name));
		await this.#session.run(
			`insert into "${name}" (${names}) select ${names} from json_populate_recordset(null::"${name}", $1::text::json)`,
			[json],
		);
	}

	/** Creates what was dropped, and statistics, which the server would make only after a while. */
	async complete(): Promise<void> {
		const tables = list(copiedTables.map(({ name }) => name));
		await this.#session.runScript(
			[...this.#createDerived, `analyze ${tables}`].join(";\n"),
		);
	}

	async lastEventId(): Promise<number> {
		const [row] = await this.#session.run("select last_value from event_ids");
		return row?.last_value as number;
	}

	/** The last step before {@link keep}: a rollback does not reset sequences. */
	async countFrom(lastEventId: number): Promise<void> {
		for (const { name, counter } of copiedTables) {
			// Events have a sequence that belongs to no table.
			if (counter === null || name === "events") continue;
			await this.#session.run(
				`select setval(pg_get_serial_sequence('${name}', '${counter}'), coalesce(max("${counter}"), 0) + 1, false) from "${name}"`,
			);
		}
		await this.#session.run("select setval('event_ids', $1)", [lastEventId]);
	}

	async keep(): Promise<void> {
		try {
			await this.#session.commit(async () => true);
		} catch (error) {
			if (!(error instanceof PostgresFailure) || error.state !== "") {
				throw error;
			}
			throw new StartError(
				`the connection was lost at the commit: the database ${this.path} is whole or as it was before; give it as TO once more, which is refused when it is whole`,
				1,
			);
		}
	}

	close(): Promise<void> {
		return this.#session.close();
	}

	/**
	 * Locks out instances that start, and requires that none serves.
	 * @returns the schema version; 0 if there are no tables
	 */
	async #requireIdle(): Promise<number> {
		const run = (text: string) => this.#session.runScript(text);
		if (!(await tryMigrationLock(run))) {
			throw new StartError(
				`an instance, or another copy, is just starting on the database ${this.path}; stop it`,
				1,
			);
		}
		const version = await readVersion(run, Number.MAX_SAFE_INTEGER);
		if (version !== 0 && version !== schemaVersion) {
			const age = version < schemaVersion ? "an older" : "a newer";
			throw this.#refusal(
				`is of ${age} version of resort (its schema is ${version}, this program knows ${schemaVersion})`,
			);
		}
		await this.#requireUnserved();
		return version;
	}

	/** Locks all tables inside a transaction, and checks again that no instance serves. */
	async #lockTables(mode: "share" | "access exclusive"): Promise<void> {
		const names = copiedTables.map(({ name }) => name);
		try {
			// The server may have time limits for all users.
			await this.#session.runScript(
				`set local statement_timeout = 0;
				set local idle_in_transaction_session_timeout = 0;
				set local lock_timeout = '${LOCK_TIMEOUT}';
				lock table ${list([...Object.keys(instanceTables), ...names])} in ${mode} mode;
				set local lock_timeout = 0`,
			);
		} catch (error) {
			const isTimeout = error instanceof PostgresFailure && error.isTimeout;
			if (!isTimeout) throw error;
			throw new StartError(
				`another program works on the tables of the database ${this.path}; stop it`,
				1,
			);
		}
		await this.#requireUnserved();
		await this.#requireOwnColumns();
	}

	async #requireUnserved(): Promise<void> {
		const connections = await this.#session.countServing();
		if (connections === 0) return;
		throw this.#refusal(
			`is served: connections of instances that write to it: ${connections}; stop all instances`,
		);
	}

	async #requireOwnColumns(): Promise<void> {
		const rows = await this.#session.run(COLUMNS);
		const existing = new Set(rows.map(({ column }) => `${column}`));
		const tables = [
			...copiedTables.map(({ name, columns, generated }) => {
				const names = columns.map((column) => column.name);
				return [name, [...names, ...generated]] as const;
			}),
			...Object.entries(instanceTables),
		];
		const own = new Set(
			tables.flatMap(([name, columns]) =>
				columns.map((column) => `${name}.${column}`),
			),
		);
		const [foreign] = existing.difference(own);
		const [missing] = own.difference(existing);
		if (foreign === undefined && missing === undefined) return;
		throw this.#refusal(
			`is not as resort makes it: column ${foreign ?? missing} is ${foreign === undefined ? "missing" : "foreign"}`,
		);
	}

	#refusal(reason: string): StartError {
		return new StartError(`the database ${this.path} ${reason}`, 1);
	}
}
