import { type Clock, SECOND_MS } from "../../core/lib/clock.ts";
import {
	type CheckResult,
	type Checks,
	checkSize,
	fail,
	ok,
	runChecks,
	warn,
	warnUnless,
} from "../../core/store/check.ts";
import type { Examination } from "../../core/store/engine.ts";
import type { EngineRow } from "../../core/store/store.ts";
import { readAddress } from "./credentials.ts";
import { formatHost, withoutPassword } from "./database-url.ts";
import { explain, PostgresFailure } from "./postgres-failure.ts";
import { readVersion, schemaVersion } from "./postgres-migrations.ts";
import { openSession } from "./postgres-session.ts";
import type { PostgresConfig } from "./settings.ts";

/** What can happen to acknowledged writes if a server setting is not `on`, by the name of the setting. */
const costs = {
	fsync: "a power cut may lose or damage the whole database",
	full_page_writes: "a power cut may damage the database",
	synchronous_commit: "a crash, or the loss of a machine, loses acknowledged writes",
};

/** Selects whether the user may migrate the schema (`creates`), and read and write all tables (`writes`). */
const RIGHTS = `select coalesce(has_schema_privilege(current_schema(), 'create'), false)
		and coalesce(bool_and(pg_has_role(relowner, 'usage')), true) as creates,
	coalesce(bool_and(has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
		and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')), true) as writes
	from pg_class where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

/** SQL for the number of free connections under the limits of the server, the role and the database. */
const FREE = `select least(
		current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
			- coalesce(current_setting('reserved_connections', true), '0')::int - count(pid),
		nullif(rolconnlimit, -1) - count(pid) filter (where usename = current_user),
		nullif(datconnlimit, -1) - count(pid) filter (where activity.datname = current_database())) as free
	from pg_roles join pg_database on rolname = current_user and datname = current_database()
	left join pg_stat_activity as activity on pid <> pg_backend_pid() and datid is not null
		and coalesce(backend_type, 'client backend') = 'client backend'
	group by rolconnlimit, datconnlimit`;

const STANDBYS = `select count(pid) as standbys,
	count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
	count(pid) filter (where sync_state is null) as hidden
	from pg_stat_replication`;

const SERVER = `select current_setting('server_version') as release, current_user as role,
	(extract(epoch from clock_timestamp()) * 1000)::bigint as now,
	${Object.keys(costs)
		.map((setting) => `current_setting('${setting}') as ${setting}`)
		.join()},
	current_setting('synchronous_standby_names') as names,
	pg_database_size(current_database()) as size, rights.*, connections.*, replication.*
	from (${RIGHTS}) as rights, (${FREE}) as connections, (${STANDBYS}) as replication`;

interface Subject extends Examination<PostgresConfig> {
	/** The URL of the database without the password, the release of PostgreSQL, and the server. */
	readonly place: string;
	readonly version: number;
	/** The result of {@link SERVER}. */
	readonly server: EngineRow;
	/** How far the server's clock is ahead of this machine's; negative if it is behind. */
	readonly aheadMs: number;
}

const checks: Checks<Subject> = {
	database({ place, version, server, maxBytes }) {
		if (version === schemaVersion) return checkSize(place, server.size as number, maxBytes);
		if (version === 0) return warn(`${place} has no tables yet; resort serve creates them`);
		return warn(
			`${place} has schema ${version}, this program uses ${schemaVersion}: resort serve migrates it, and older instances then return 503`,
		);
	},
	rights({ version, server: { role, creates, writes } }) {
		if (creates === true) return ok(`${role} owns the tables`);
		if (writes === true && version === schemaVersion) return ok(`${role} can read and write all tables`);
		return fail(`${role} cannot create or write the tables: make it the owner of the database`);
	},
	durability({ server }) {
		const weak = Object.entries(costs).filter(([name]) => !/^(on|remote_apply)$/.test(`${server[name]}`));
		if (weak.length === 0) return ok(Object.keys(costs).join(", "));
		return warn(weak.map(([name, cost]) => `${name} = ${server[name]}: ${cost}`).join("; "));
	},
	standbys({ server: { standbys, synchronous, hidden, names } }) {
		const what = `${standbys} connected, ${synchronous} synchronous (synchronous_standby_names = ${names})`;
		if (hidden !== 0) return ok(`${what}; to see their state, grant this user the role pg_monitor`);
		if (names !== "" && synchronous === 0) return warn(`${what}: every change waits and fails with 503`);
		const advice =
			"if the server's disk is lost, acknowledged writes are lost; create one: pg_basebackup -h HOST -D DIR -R, see docs/scale.md";
		return warnUnless(standbys !== 0, what, advice);
	},
	connections({ config, server }) {
		const needed = config["database-connections"];
		const free = Math.max(0, server.free as number);
		const what = `${free} are free for this user, an instance needs ${needed}`;
		const advice =
			"raise max_connections, or the CONNECTION LIMIT of the role or the database, or lower --database-connections";
		return warnUnless(free >= needed, what, advice);
	},
	"server clock"({ aheadMs }) {
		const seconds = (Math.abs(aheadMs) / SECOND_MS).toFixed(3);
		const what = `${seconds} s ${aheadMs < 0 ? "behind" : "ahead of"} this machine's`;
		const advice = "limits and times are off by as much; synchronize both with a time server";
		return warnUnless(Math.abs(aheadMs) <= SECOND_MS, what, advice);
	},
};

/**
 * Checks a PostgreSQL database, which may be in use. Changes nothing, and ends within 5 seconds.
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
		const beforeMs = clock();
		const [server = {}] = await session.run(SERVER);
		// The server read its clock while the query ran. So the clocks agree if the server's time is between the
		// start and the end of the query.
		const nowMs = server.now as number;
		const aheadMs = nowMs - Math.min(Math.max(nowMs, beforeMs), clock());
		const place = `${path}, PostgreSQL ${server.release} at ${formatHost(session)}`;
		return await runChecks(checks, { ...examination, place, version, server, aheadMs });
	} catch (error) {
		if (!(error instanceof PostgresFailure)) throw error;
		return [{ name: "database", ...fail(`${path}: ${explain(error)}`) }];
	}
}
