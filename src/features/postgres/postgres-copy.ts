import { StartError } from "../../core/lib/start-error.ts";
import type { Access } from "../../core/store/engine.ts";
import { type CopiedTable, type CopyTarget, list } from "./copy.ts";
import { readAddress } from "./credentials.ts";
import { withoutPassword } from "./database-url.ts";
import { cannotUse, PostgresFailure } from "./postgres-failure.ts";
import { readVersion, schemaVersion, tryMigrationLock, wholeSchema } from "./postgres-migrations.ts";
import { openSession, type PostgresSession } from "./postgres-session.ts";
import { toPostgres } from "./statements.ts";

/** The locks on all tables. Until the copy ends, nobody can write to the source, or use the target. */
const lockModes = { source: "share", target: "access exclusive" } as const;

/**
 * Opens a database as the source or the target of a copy, in a transaction. An abort closes the connection.
 * @throws StartError if the source is empty, the target is not empty, or the database is in use, was not
 * created by a resort or has another schema version; PostgresFailure if aborted
 */
export async function openPostgres(
	role: keyof typeof lockModes,
	tables: readonly CopiedTable[],
	{ database, environment, signal }: Access,
): Promise<CopyTarget> {
	const address = readAddress(database, environment);
	const path = withoutPassword(address);
	const refuse = (reason: string) => {
		throw new StartError(`the database ${path} ${reason}`);
	};
	await using resources = new AsyncDisposableStack();
	try {
		const session = resources.use(await openSession(address, false));
		signal.addEventListener("abort", () => session.destroy());
		signal.throwIfAborted();
		const run = (text: string) => session.runScript(text);
		// Prevents migrations and other copies.
		if (!(await tryMigrationLock(run)))
			refuse("is used by an instance, or another copy, that is starting: stop it");
		const version = await readVersion(run);
		if (version !== 0 && version !== schemaVersion) {
			refuse(
				`was created by an older version of resort (its schema is ${version}, this program uses ${schemaVersion})`,
			);
		}
		if (version === 0 && role === "source") refuse("is empty");
		await run("begin isolation level repeatable read");
		if (version === 0) await run(wholeSchema);
		// Locks the tables before the first SELECT, because that SELECT takes the snapshot.
		await lockTables(tables, session, lockModes[role]);
		for (const { name } of role === "target" ? tables : []) {
			const rows = await session.run(`select 1 from "${name}" limit 1`);
			if (rows.length > 0) refuse(`is not empty: table ${name} has rows; use an empty database`);
		}
		// The locks keep instances from starting, so no instance can begin to serve after this check.
		const serving = await session.countServing();
		if (serving > 0) refuse(`is in use (connections of instances: ${serving}); stop all instances`);
		resources.move();
		return {
			path,
			query: (text, parameters) => session.run(toPostgres(text), parameters),
			async lastEventId() {
				const [row] = await session.run("select last_value from event_ids");
				return row?.last_value as number;
			},
			keep: (lastEventId) => keep(session, tables, { path, lastEventId }),
			[Symbol.asyncDispose]: () => session.close(),
		};
	} catch (error) {
		throw signal.aborted ? error : cannotUse(path, error);
	}
}

/**
 * Updates the planner statistics, sets the sequences, and commits. The sequences are set last, because a
 * rollback would not reset them.
 */
async function keep(
	session: PostgresSession,
	tables: readonly CopiedTable[],
	{ path, lastEventId }: { readonly path: string; readonly lastEventId: number },
): Promise<void> {
	await session.runScript(`analyze ${list(tables.map(({ name }) => name))}`);
	for (const { name } of tables.filter(({ key }) => key.join() === "seq")) {
		await session.runScript(
			`select setval(pg_get_serial_sequence('${name}', 'seq'), coalesce(max(seq), 0) + 1, false) from "${name}"`,
		);
	}
	await session.run("select setval('event_ids', $1)", [lastEventId]);
	try {
		await session.commit(async () => true);
	} catch (error) {
		const isKnown = !(error instanceof PostgresFailure) || error.state !== "";
		if (isKnown) throw error;
		throw new StartError(
			`the connection was lost during the commit: the database ${path} is either complete or unchanged; run the copy again (it is refused if the database is complete)`,
		);
	}
}

/** Locks all tables, and `heads`, to which every change of an instance writes. */
async function lockTables(
	tables: readonly CopiedTable[],
	session: PostgresSession,
	mode: string,
): Promise<void> {
	const names = ["heads", ...tables.map(({ name }) => name)];
	try {
		// Removes time limits, which the server may have set for all users.
		await session.runScript(
			`set local statement_timeout = 0;
			set local idle_in_transaction_session_timeout = 0;
			set local lock_timeout = '2s';
			lock table ${list(names)} in ${mode} mode;
			set local lock_timeout = 0`,
		);
	} catch (error) {
		if (!(error instanceof PostgresFailure && error.isTimeout)) throw error;
		throw new StartError("another program is using the tables of the database; stop it");
	}
}
