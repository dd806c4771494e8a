import { type Clock, SECOND_MS } from "../../lib/clock.ts";
import { type CheckResult, ok, warn } from "../check-result.ts";
import type { EngineRow } from "../store.ts";
import type { PostgresSession } from "./postgres-session.ts";

/** Limits and the ends of stays are exact over several machines as long as their clocks differ by no more. */
const CLOCK_TOLERANCE_MS = SECOND_MS;

const DURABILITY = `select current_setting('fsync') as fsync,
	current_setting('full_page_writes') as full_page_writes,
	current_setting('synchronous_commit') as synchronous_commit,
	current_setting('synchronous_standby_names') as names,
	count(pid) as standbys,
	count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
	count(pid) filter (where sync_state is null) as hidden
	from pg_stat_replication`;

/** What each setting costs that weakens an acknowledged write, by its value. */
const costs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	fsync: { off: "a power cut may lose or damage the whole database" },
	full_page_writes: { off: "a power cut may damage the database" },
	synchronous_commit: {
		off: "a crash of the server loses writes that were acknowledged",
		local: "the loss of the server loses writes that no standby has yet",
		remote_write:
			"a standby may lose writes that were acknowledged when its machine fails",
	},
};

/** Checks how safe an acknowledged write is on this server. */
export async function checkDurability(
	session: PostgresSession,
): Promise<CheckResult[]> {
	const [row = {}] = await session.run(DURABILITY);
	const settings = Object.entries(costs).map(([name, values]): CheckResult => {
		const value = `${row[name]}`;
		const cost = values[value];
		return cost === undefined
			? ok(name, value)
			: warn(name, `${value}: ${cost}`);
	});
	return [...settings, checkStandbys(row)];
}

function checkStandbys(row: EngineRow): CheckResult {
	const name = "standbys";
	const connected = `${row.standbys} connected`;
	const setting = `synchronous_standby_names = ${row.names}`;
	if (row.names === "") {
		return ok(
			name,
			`${connected}, none synchronous: the loss of the server's disk loses writes that were acknowledged`,
		);
	}
	if ((row.hidden as number) > 0) {
		const what = `${connected}, ${setting}; their state is hidden from this user: grant it pg_monitor to see it`;
		return ok(name, what);
	}
	if (row.synchronous === 0) {
		return warn(
			name,
			`${setting}, but none of them is connected: every change waits, and is answered 503`,
		);
	}
	return ok(name, `${connected}, ${row.synchronous} synchronous (${setting})`);
}

const NOW =
	"select (extract(epoch from clock_timestamp()) * 1000)::bigint as now";

/** Compares the clock of the server with this machine's. */
export async function checkClock(
	session: PostgresSession,
	clock: Clock,
): Promise<CheckResult> {
	const name = "server clock";
	const beforeMs = clock();
	const [row] = await session.run(NOW);
	const afterMs = clock();
	// The server read its clock between the two.
	const nowMs = row?.now as number;
	const aheadMs = nowMs - Math.min(Math.max(nowMs, beforeMs), afterMs);
	const seconds = (Math.abs(aheadMs) / SECOND_MS).toFixed(3);
	const side = aheadMs < 0 ? "behind" : "ahead of";
	const what = `${seconds} s ${side} this machine's`;
	if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) {
		return ok(name, what);
	}
	const advice =
		"limits and times are wrong by so much; let both follow a time server";
	return warn(name, `${what}: ${advice}`);
}

/** A row for each of three limits. Without reserved connections; -1 is no limit. */
const CONNECTIONS = `with activity as (
		select usename, datname from pg_stat_activity
		where pid <> pg_backend_pid() and datid is not null and coalesce(backend_type, 'client backend') = 'client backend'
	)
	select 'max_connections' as name, most, most - case when rolsuper then 0 else reserved end
		- (select count(*) from activity) as free
	from (select current_setting('max_connections')::int as most,
		current_setting('superuser_reserved_connections')::int
			+ coalesce(current_setting('reserved_connections', true), '0')::int as reserved) as settings,
		pg_roles where rolname = current_user
	union all select 'CONNECTION LIMIT of the role', rolconnlimit,
		rolconnlimit - (select count(*) from activity where usename = current_user)
	from pg_roles where rolname = current_user and not rolsuper and rolconnlimit >= 0
	union all select 'CONNECTION LIMIT of the database', datconnlimit,
		datconnlimit - (select count(*) from activity where datname = current_database())
	from pg_database, pg_roles
	where datname = current_database() and rolname = current_user and not rolsuper and datconnlimit >= 0
	order by free limit 1`;

/** Checks whether the server has free connections for one more instance. */
export async function checkConnections(
	session: PostgresSession,
	needed: number,
): Promise<CheckResult> {
	const name = "connections";
	const [limit] = await session.run(CONNECTIONS);
	const free = Math.max(0, limit?.free as number);
	const what = `${free} of ${limit?.most} are free for this user, and an instance takes ${needed}`;
	if (free >= needed) return ok(name, what);
	const advice = `raise ${limit?.name}, or lower --database-connections`;
	return warn(name, `${what}: ${advice}`);
}
