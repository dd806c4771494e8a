import type { Finding } from "../finding.ts";
import type { EngineRow } from "../store.ts";
import type { Connection } from "./connection.ts";

const DURABILITY = `select current_setting('fsync') as fsync,
	current_setting('full_page_writes') as full_page_writes,
	current_setting('synchronous_commit') as synchronous_commit,
	current_setting('synchronous_standby_names') as names,
	count(pid) as standbys,
	count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous,
	count(pid) filter (where sync_state is null) as hidden
	from pg_stat_replication`;

/** What an acknowledged write is worth on this server. */
export async function examineDurability(
	connection: Connection,
): Promise<Finding[]> {
	const [row = {}] = await connection.query(DURABILITY, []);
	return [
		examineSwitch(
			"fsync",
			row.fsync,
			"a power cut may lose or damage the whole database",
		),
		examineSwitch(
			"full_page_writes",
			row.full_page_writes,
			"a power cut may damage the database",
		),
		examineCommit(row.synchronous_commit),
		examineStandbys(row),
	];
}

function examineSwitch(name: string, value: unknown, cost: string): Finding {
	return value === "on"
		? { level: "ok", name, what: "on" }
		: { level: "warn", name, what: `${value}: ${cost}` };
}

const costs: Readonly<Record<string, string>> = {
	off: "a crash of the server loses writes that were acknowledged",
	local: "the loss of the server loses writes that no standby has yet",
	remote_write:
		"a standby may lose writes that were acknowledged when its machine fails",
};

function examineCommit(value: unknown): Finding {
	const name = "synchronous_commit";
	const cost = costs[`${value}`];
	return cost === undefined
		? { level: "ok", name, what: `${value}` }
		: { level: "warn", name, what: `${value}: ${cost}` };
}

function examineStandbys({
	names,
	standbys,
	synchronous,
	hidden,
}: EngineRow): Finding {
	const name = "standbys";
	const connected = `${standbys} connected`;
	if (names === "") {
		const what = `${connected}, none synchronous: the loss of the server's disk loses writes that were acknowledged`;
		return { level: "ok", name, what };
	}
	const wanted = `synchronous_standby_names = ${names}`;
	if ((hidden as number) > 0) {
		const what = `${connected}, ${wanted}; their state is hidden from this user: grant it pg_monitor to see it`;
		return { level: "ok", name, what };
	}
	return synchronous === 0
		? {
				level: "warn",
				name,
				what: `${wanted}, but none of them is connected: every change waits, and is answered 503`,
			}
		: {
				level: "ok",
				name,
				what: `${connected}, ${synchronous} synchronous (${wanted})`,
			};
}
