import { type Clock, SECOND_MS } from "../../lib/clock.ts";
import type { Finding } from "../finding.ts";
import type { Connection } from "./connection.ts";

/** Limits and ends of stays are exact over several machines while their clocks differ by no more. */
const CLOCK_TOLERANCE_MS = SECOND_MS;

/** By how much the clock of the server differs from this machine's. */
export async function examineClock(
	connection: Connection,
	clock: Clock,
): Promise<Finding> {
	const name = "server clock";
	const beforeMs = clock();
	const [row] = await connection.query(
		"select (extract(epoch from clock_timestamp()) * 1000)::bigint as now",
		[],
	);
	const afterMs = clock();
	// The server looked at its clock at some moment between.
	const nowMs = row?.now as number;
	const aheadMs = nowMs - Math.min(Math.max(nowMs, beforeMs), afterMs);
	const seconds = (Math.abs(aheadMs) / SECOND_MS).toFixed(3);
	const side = aheadMs < 0 ? "behind" : "ahead of";
	const what = `${seconds} s ${side} this machine's`;
	return Math.abs(aheadMs) > CLOCK_TOLERANCE_MS
		? {
				level: "warn",
				name,
				what: `${what}: limits and times are wrong by so much; let both follow a time server`,
			}
		: { level: "ok", name, what };
}

/** Who may not use the reserved connections is bounded by the least of three limits; -1 is none. */
const CONNECTIONS = `select
	max_connections as most, max_connections - case when rolsuper then 0 else reserved end - used as free,
	rolconnlimit as most_of_user,
	case when rolsuper or rolconnlimit < 0 then null else rolconnlimit - used_by_user end as free_of_user,
	datconnlimit as most_of_database,
	case when rolsuper or datconnlimit < 0 then null else datconnlimit - used_of_database end as free_of_database
	from (select current_setting('max_connections')::int as max_connections,
		current_setting('superuser_reserved_connections')::int
			+ coalesce(current_setting('reserved_connections', true), '0')::int as reserved) as settings,
	(select count(*) as used, count(*) filter (where usename = current_user) as used_by_user,
		count(*) filter (where datname = current_database()) as used_of_database
		from pg_stat_activity where pid <> pg_backend_pid() and datid is not null
			and coalesce(backend_type, 'client backend') = 'client backend') as activity,
	pg_roles, pg_database where rolname = current_user and datname = current_database()`;

/** Whether the server has as many connections free as one more instance takes. */
export async function examineConnections(
	connection: Connection,
	needed: number,
): Promise<Finding> {
	const name = "connections";
	const [row] = await connection.query(CONNECTIONS, []);
	const limits = [
		{ of: "max_connections", most: row?.most, free: row?.free },
		{
			of: "CONNECTION LIMIT of the role",
			most: row?.most_of_user,
			free: row?.free_of_user,
		},
		{
			of: "CONNECTION LIMIT of the database",
			most: row?.most_of_database,
			free: row?.free_of_database,
		},
	].filter(({ free }) => typeof free === "number");
	const least = limits.reduce((one, other) =>
		(other.free as number) < (one.free as number) ? other : one,
	);
	const free = Math.max(0, least.free as number);
	const what = `${free} of ${least.most} are free for this user, and an instance takes ${needed}`;
	return free < needed
		? {
				level: "warn",
				name,
				what: `${what}: raise ${least.of}, or lower --database-connections`,
			}
		: { level: "ok", name, what };
}
