import { StartError } from "../../lib/start-error.ts";
import { type CopiedTable, copiedTables, list, ROWS_AT_ONCE, type Row } from "../copy/copied-tables.ts";
import type { Access, Source, Target } from "../engine.ts";
import { readAddress } from "./credentials.ts";
import { withoutPassword } from "./database-url.ts";
import { cannotUse, PostgresFailure } from "./postgres-failure.ts";
import { readVersion, schemaVersion, tryMigrationLock, wholeSchema } from "./postgres-migrations.ts";
import { openSession, type PostgresSession } from "./postgres-session.ts";

/** How long a copy waits for tables that another program has locked. */
const LOCK_TIMEOUT = "2s";

/**
 * Selects a DROP and a CREATE statement for each foreign key, and for each index that does not belong to a
 * constraint.
 */
const DERIVED = `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
		format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
	from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace
	union all select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
	from pg_index join pg_class on pg_class.oid = indrelid
	where relnamespace = current_schema()::regnamespace
		and not exists (select 1 from pg_constraint where conindid = indexrelid)`;

/**
 * A PostgreSQL database that is being copied. Until {@link close}, no instance can serve the database. A
 * target is written in one transaction, which also creates the schema if there is none.
 */
export class PostgresCopy implements Target {
	/** The statements that recreate what {@link openTarget} has dropped. */
	#createDerived: string[] = [];

	private constructor(
		readonly path: string,
		private readonly session: PostgresSession,
	) {}

	/**
	 * Opens a database for reading. Until {@link close}, nobody can write to the database.
	 * @param from if its signal is aborted, the connection is closed and every statement fails
	 * @throws StartError if the database is being served, empty, not a resort's, or has another version;
	 * PostgresFailure if aborted
	 */
	static openSource(from: Access): Promise<Source> {
		return PostgresCopy.#open(from, async (copy, version) => {
			if (version === 0) throw copy.#refusal("is empty");
			// Locks the tables before the first SELECT, because that SELECT takes the snapshot.
			await copy.session.runScript("begin isolation level repeatable read");
			await copy.#lockTables("share");
		});
	}

	/**
	 * Opens an empty database as the target of a copy. Begins the transaction of the copy, which creates the
	 * schema if there is none, locks all tables against all other programs, and drops foreign keys and indexes
	 * until {@link complete}.
	 * @param to if its signal is aborted, the connection is closed and every statement fails
	 * @throws StartError if a table has rows, or if the database is being served, not a resort's, or has
	 * another version; PostgresFailure if aborted
	 */
	static openTarget(to: Access): Promise<Target> {
		return PostgresCopy.#open(to, async (copy, version) => {
			const session = copy.session;
			await session.runScript("begin");
			if (version === 0) await session.runScript(wholeSchema);
			await copy.#lockTables("access exclusive");
			for (const { name } of copiedTables) {
				const rows = await session.run(`select 1 from "${name}" limit 1`);
				if (rows.length === 0) continue;
				throw copy.#refusal(`is not empty: table ${name} has rows; use an empty database`);
			}
			// Drops foreign keys and indexes until the rows are inserted, which halves the time of a copy.
			const derived = await session.run(DERIVED);
			await session.runScript(derived.map(({ drop }) => drop).join(";\n"));
			copy.#createDerived = derived.map(({ create }) => `${create}`);
		});
	}

	static async #open(
		{ database, environment, signal }: Access,
		prepare: (copy: PostgresCopy, version: number) => Promise<void>,
	): Promise<PostgresCopy> {
		const address = readAddress(database, environment);
		const path = withoutPassword(address);
		let session: PostgresSession | undefined;
		try {
			const opened = await openSession(address, false);
			session = opened;
			signal.addEventListener("abort", () => opened.destroy());
			signal.throwIfAborted();
			const copy = new PostgresCopy(path, opened);
			await prepare(copy, await copy.#requireIdle());
			return copy;
		} catch (error) {
			await session?.close();
			throw signal.aborted ? error : cannotUse(path, error);
		}
	}

	async *rows({ name, columns, key }: CopiedTable): AsyncGenerator<readonly Row[]> {
		const names = columns.map((column) => column.name);
		const cursor = `copy_of_${name}`;
		const fetch = () => {
			const rows = this.session.run(`fetch ${ROWS_AT_ONCE} from ${cursor}`);
			// Prevents an unhandled rejection. The loop below awaits the promise.
			rows.catch(() => {});
			return rows;
		};
		await this.session.runScript(
			`declare ${cursor} no scroll cursor for select ${list(names)} from "${name}" order by ${list(key)}`,
		);
		// Fetches the next rows while the caller processes the current ones.
		let next = fetch();
		for (let rows = await next; rows.length > 0; rows = await next) {
			next = fetch();
			yield rows as Row[];
		}
		await this.session.runScript(`close ${cursor}`);
	}

	/**
	 * Inserts rows. Sends them as json, which is faster than sending them as jsonb or as one array for each
	 * column.
	 */
	async add({ name, columns }: CopiedTable, _rows: readonly Row[], json: string): Promise<void> {
		const names = list(columns.map((column) => column.name));
		await this.session.run(
			`insert into "${name}" (${names}) select ${names} from json_populate_recordset(null::"${name}", $1::text::json)`,
			[json],
		);
	}

	/**
	 * Recreates the foreign keys and indexes that {@link openTarget} dropped, and runs ANALYZE. Without
	 * ANALYZE, the planner would have no statistics at first.
	 */
	async complete(): Promise<void> {
		const tables = list(copiedTables.map(({ name }) => name));
		await this.session.runScript([...this.#createDerived, `analyze ${tables}`].join(";\n"));
	}

	async lastEventId(): Promise<number> {
		const [row] = await this.session.run("select last_value from event_ids");
		return row?.last_value as number;
	}

	async keep(lastEventId: number): Promise<void> {
		// The sequences are set last, because a rollback does not reset them.
		for (const { name, counter } of copiedTables) {
			// The ids of events come from the sequence `event_ids`, which is set below.
			if (counter === null || name === "events") continue;
			await this.session.run(
				`select setval(pg_get_serial_sequence('${name}', '${counter}'), coalesce(max("${counter}"), 0) + 1, false) from "${name}"`,
			);
		}
		await this.session.run("select setval('event_ids', $1)", [lastEventId]);
		try {
			await this.session.commit(async () => true);
		} catch (error) {
			const isKnown = !(error instanceof PostgresFailure) || error.state !== "";
			if (isKnown) throw error;
			throw new StartError(
				`the connection was lost during the commit: the database ${this.path} is either complete or unchanged; run the copy again (it is refused if the database is complete)`,
			);
		}
	}

	close(): Promise<void> {
		return this.session.close();
	}

	/**
	 * Prevents instances from starting, and checks that no instance is serving the database.
	 * @returns the schema version; 0 if there are no tables
	 * @throws StartError if an instance is starting or serving, or the schema version is not the newest one
	 */
	async #requireIdle(): Promise<number> {
		const run = (text: string) => this.session.runScript(text);
		if (!(await tryMigrationLock(run))) {
			throw new StartError(`an instance, or another copy, is starting on the database ${this.path}; stop it`);
		}
		const version = await readVersion(run);
		if (version !== 0 && version !== schemaVersion) {
			throw this.#refusal(
				`was created by an older version of resort (its schema is ${version}, this program uses ${schemaVersion})`,
			);
		}
		await this.#requireUnserved();
		return version;
	}

	/** Locks all tables in the transaction, and checks again that no instance is serving the database. */
	async #lockTables(mode: "share" | "access exclusive"): Promise<void> {
		// Also locks `heads`, because every change by an instance writes to that table.
		const names = ["heads", ...copiedTables.map(({ name }) => name)];
		try {
			// Removes time limits, which the server may have set for all users.
			await this.session.runScript(
				`set local statement_timeout = 0;
				set local idle_in_transaction_session_timeout = 0;
				set local lock_timeout = '${LOCK_TIMEOUT}';
				lock table ${list(names)} in ${mode} mode;
				set local lock_timeout = 0`,
			);
		} catch (error) {
			const isTimeout = error instanceof PostgresFailure && error.isTimeout;
			if (!isTimeout) throw error;
			throw new StartError(`another program is using the tables of the database ${this.path}; stop it`);
		}
		await this.#requireUnserved();
	}

	async #requireUnserved(): Promise<void> {
		const connections = await this.session.countServing();
		if (connections === 0) return;
		throw this.#refusal(`is in use (connections of instances: ${connections}); stop all instances`);
	}

	#refusal(reason: string): StartError {
		return new StartError(`the database ${this.path} ${reason}`);
	}
}
