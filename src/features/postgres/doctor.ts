import { type Clock, SECOND_MS } from "../../core/lib/clock.ts";
import {
	type CheckResult,
	type Checks,
	checkSize,
	type Finding,
	fail,
	ok,
	runChecks,
	warn,
} from "../../core/store/check.ts";
import type { Examination } from "../../core/store/engine.ts";
import type { EngineRow } from "../../core/store/store.ts";
import { readAddress } from "./credentials.ts";
import { withoutPassword } from "./database-url.ts";
import { explain, PostgresFailure } from "./postgres-failure.ts";
import { readVersion, schemaVersion } from "./postgres-migrations.ts";
import { openSession, type PostgresSession } from "./postgres-session.ts";
import type { PostgresConfig } from "./settings.ts";

/** If the clocks of machines differ by more than this, rate limits and the ends of stays become inexact. */
const CLOCK_TOLERANCE_MS = SECOND_MS;

/** For each server setting, what can happen to acknowledged writes if it is not `on`. */
const costs = {
	fsync: "a power cut may lose or damage the whole database",
	full_page_writes: "a power cut may damage the database",
	synchronous_commit: "a crash, or the loss of a machine, loses acknowledged writes",
};

const SERVER = `select current_setting('server_version') as version,
	${Object.keys(costs)
		.map((setting) => `current_setting('${setting}') as ${setting}`)
		.join()},
	current_setting('synchronous_standby_names') as names,
	pg_database_size(current_database()) as size,
	count(pid) as standbys,
	count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
	count(pid) filter (where sync_state is null) as hidden
	from pg_stat_replication`;

interface Subject extends Examination<PostgresConfig> {
	/** The database without its password. */
	readonly path: string;
	readonly session: PostgresSession;
	readonly version: number;
	/** The result of {@link SERVER}. */
	readonly server: EngineRow;
	readonly clock: Clock;
}

const checks: Checks<Subject> = {
	database({ path, session, version, server, maxBytes }) {
		const what = `${path}, PostgreSQL ${server.version} at ${session.server}`;
		if (version === schemaVersion) return checkSize(what, server.size as number, maxBytes);
		if (version === 0) return warn(`${what} has no tables yet; resort serve creates them`);
		return warn(
			`${what} has schema ${version}, this program uses ${schemaVersion}: resort serve migrates it, and older instances then return 503`,
		);
	},
	rights: checkRights,
	durability({ server }) {
		const weak = Object.entries(costs).filter(
			([setting]) => server[setting] !== "on" && server[setting] !== "remote_apply",
		);
		if (weak.length === 0) return ok(Object.keys(costs).join(", "));
		return warn(weak.map(([setting, cost]) => `${setting} = ${server[setting]}: ${cost}`).join("; "));
	},
	standbys: checkStandbys,
	connections: checkConnections,
	"server clock": checkClock,
};

/**
 * Checks a PostgreSQL database, which may be in use, without changing it. Ends within 5 seconds.
 * @param clock the clock of this machine
 * @throws StartError with exit code 2 if a file named in the URL cannot be used
 */
export async function checkDatabase(
	examination: Examination<PostgresConfig>,
	clock: Clock,
): Promise<CheckResult[]> {
	const address = readAddress(examination.database, examination.environment);
	const path = withoutPassword(address);
	try {
		await using session = await openSession(address);
		const version = await readVersion((text) => session.runScript(text));
		const [server = {}] = await session.run(SERVER);
		return await runChecks(checks, { ...examination, path, session, version, server, clock });
	} catch (error) {
		if (!(error instanceof PostgresFailure)) throw error;
		return [{ name: "database", ...fail(`${path}: ${explain(error)}`) }];
	}
}

const RIGHTS = `select current_user as name, current_schema() as schema,
	coalesce(has_schema_privilege(current_schema(), 'create'), false)
		and coalesce(bool_and(pg_has_role(relowner, 'usage')), true) as migrates,
	coalesce(bool_and(has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
		and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')), true) as writes
	from pg_class where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

async function checkRights({ session, version }: Subject): Promise<Finding> {
	const [row = {}] = await session.run(RIGHTS);
	if (row.migrates !== true && version < schemaVersion) {
		return fail(
			`${row.name} cannot create tables in the schema ${row.schema ?? "public"}: make it the owner of the database`,
		);
	}
	if (row.writes !== true) return fail(`${row.name} cannot read and write all tables`);
	return row.migrates === true
		? ok(`${row.name} owns the tables`)
		: warn(`${row.name} does not own the tables: a newer version cannot change them`);
}

function checkStandbys({ server: { standbys, synchronous, hidden, names } }: Subject): Finding {
	const setting = `synchronous_standby_names = ${names}`;
	if (names === "") {
		const what = `${standbys} connected, none synchronous: if the server's disk is lost, acknowledged writes are lost`;
		return standbys === 0
			? warn(`${what}; create one: pg_basebackup -h HOST -D DIR -R, see docs/scale.md`)
			: ok(what);
	}
	if ((hidden as number) > 0) {
		return ok(
			`${standbys} connected, ${setting}; their state is hidden from this user: grant it the role pg_monitor`,
		);
	}
	return synchronous === 0
		? warn(`${setting}, but none of them is connected: every change waits and fails with 503`)
		: ok(`${standbys} connected, ${synchronous} synchronous (${setting})`);
}

/**
 * The server, the role and the database can each limit the number of connections. Selects how many are free by
 * the strictest limit. Reserved connections do not count as free, and -1 means unlimited.
 */
const FREE = `select least(
		current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
			- coalesce(current_setting('reserved_connections', true), '0')::int - count(pid),
		nullif(rolconnlimit, -1) - count(pid) filter (where usename = current_user),
		nullif(datconnlimit, -1) - count(pid) filter (where activity.datname = current_database())) as free
	from pg_roles join pg_database on rolname = current_user and datname = current_database()
	left join pg_stat_activity as activity on pid <> pg_backend_pid() and datid is not null
		and coalesce(backend_type, 'client backend') = 'client backend'
	group by rolconnlimit, datconnlimit`;

async function checkConnections({ session, config }: Subject): Promise<Finding> {
	const needed = config["database-connections"];
	const [row] = await session.run(FREE);
	const what = `${Math.max(0, row?.free as number)} are free for this user, an instance needs ${needed}`;
	if ((row?.free as number) >= needed) return ok(what);
	return warn(
		`${what}: raise max_connections, or the CONNECTION LIMIT of the role or the database, or lower --database-connections`,
	);
}

async function checkClock({ session, clock }: Subject): Promise<Finding> {
	const beforeMs = clock();
	const [row] = await session.run("select (extract(epoch from clock_timestamp()) * 1000)::bigint as now");
	const afterMs = clock();
	// The server read its clock between `beforeMs` and `afterMs`. Only a time outside of this range counts as a
	// difference.
	const nowMs = row?.now as number;
	const aheadMs = nowMs - Math.min(Math.max(nowMs, beforeMs), afterMs);
	const seconds = (Math.abs(aheadMs) / SECOND_MS).toFixed(3);
	const side = aheadMs < 0 ? "behind" : "ahead of";
	const what = `${seconds} s ${side} this machine's`;
	return Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS
		? ok(what)
		: warn(`${what}: limits and times are off by as much; synchronize both with a time server`);
}
