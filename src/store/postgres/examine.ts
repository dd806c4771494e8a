import type { Clock } from "../../lib/clock.ts";
import type { Environment } from "../../lib/environment.ts";
import { examineWebhooks, TROUBLED_WEBHOOKS } from "../examine-webhooks.ts";
import type { Finding } from "../finding.ts";
import { readAddress, shown } from "./address.ts";
import type { Connection } from "./connection.ts";
import { Connector } from "./connector.ts";
import { examineDurability } from "./examine-durability.ts";
import { examineClock, examineConnections } from "./examine-machine.ts";
import { PostgresFailure, Unusable } from "./failures.ts";
import { schemaVersion, versionOf } from "./migrate.ts";

/** How an instance would use a database. */
export interface Use {
	/** All connections that it opens. */
	readonly connections: number;
	/** Where the password may be. */
	readonly environment: Environment;
	/** The clock of this machine. */
	readonly clock: Clock;
}

/**
 * Checks a PostgreSQL database that may be in use, and changes nothing of it. It ends within 5 seconds.
 * @param url a value of `--database` that is PostgreSQL's and has no fault
 * @throws StartError with exit code 2 when a file that the URL names cannot be used
 */
export async function examinePostgres(
	url: string,
	{ connections, environment, clock }: Use,
): Promise<Finding[]> {
	const address = readAddress(url, environment);
	const name = "database";
	let connection: Connection | null = null;
	try {
		const opened = await new Connector(address).open();
		connection = opened;
		const version = await versionOf((text) => opened.script(text));
		return [
			{ level: "ok", name, what: shown(address) },
			...(await examineServer(connection, address.sslmode)),
			examineVersion(version),
			...(await examineRows(connection, version)),
			await examineRights(connection, version),
			...(await examineDurability(connection)),
			await examineConnections(connection, connections),
			await examineClock(connection, clock),
		];
	} catch (error) {
		const isKnown =
			error instanceof PostgresFailure || error instanceof Unusable;
		if (!isKnown) throw error;
		const what = `${shown(address)}: ${error.message}`;
		return [{ level: "fail", name, what }];
	} finally {
		connection?.close();
	}
}

const SERVER =
	"select current_setting('server_version') as version, inet_client_addr() is null as is_socket, coalesce(inet_client_addr() <<= any('{127.0.0.0/8,::1}'), false) as is_here, (select version from pg_stat_ssl where pid = pg_backend_pid()) as tls";

async function examineServer(
	connection: Connection,
	sslmode: string,
): Promise<Finding[]> {
	const [row] = await connection.query(SERVER, []);
	return [
		{
			level: "ok",
			name: "server",
			what: `PostgreSQL ${row?.version} at ${connection.host}`,
		},
		// versionOf() has refused every other one.
		{ level: "ok", name: "encoding", what: "UTF8" },
		examineTls(row ?? {}, sslmode),
	];
}

function examineTls(
	row: Readonly<Record<string, unknown>>,
	sslmode: string,
): Finding {
	const name = "TLS";
	if (row.is_socket === true) {
		return { level: "ok", name, what: "not needed: a Unix socket" };
	}
	if (row.tls === null) {
		return row.is_here === true
			? { level: "ok", name, what: "none, on this machine" }
			: {
					level: "warn",
					name,
					what: "none: passwords' proofs and all that guests write travel in clear",
				};
	}
	const isVerified = sslmode === "verify-full" || sslmode === "verify-ca";
	const what = `${row.tls}, ${isVerified ? "the server is verified" : "but the server is not verified"} (sslmode=${sslmode})`;
	return {
		level: isVerified || row.is_here === true ? "ok" : "warn",
		name,
		what,
	};
}

function examineVersion(version: number): Finding {
	const name = "schema version";
	if (version === schemaVersion) {
		return { level: "ok", name, what: `${version}` };
	}
	return version === 0
		? { level: "warn", name, what: "none yet; resort serve makes it" }
		: {
				level: "warn",
				name,
				what: `${version}, this program knows ${schemaVersion}: resort serve brings it there, and older instances then answer 503`,
			};
}

async function examineRows(
	connection: Connection,
	version: number,
): Promise<Finding[]> {
	if (version !== schemaVersion) return [];
	const rows = await connection.script(TROUBLED_WEBHOOKS);
	return [examineWebhooks(rows.map(({ state, url }) => ({ state, url })))];
}

const RIGHTS = `select current_user as name, current_schema() as schema,
	coalesce(has_schema_privilege(current_schema(), 'create'), false) as makes,
	coalesce(bool_and(has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
		and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')), true) as writes,
	coalesce(bool_and(pg_has_role(relowner, 'usage')), true) as owns
	from pg_class where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

async function examineRights(
	connection: Connection,
	version: number,
): Promise<Finding> {
	const name = "rights";
	const [row] = await connection.query(RIGHTS, []);
	const mayMigrate = row?.makes === true && row.owns === true;
	if (version < schemaVersion && !mayMigrate) {
		const what = `${row?.name} may not make tables in the schema ${row?.schema ?? "public"}: let it own the database`;
		return { level: "fail", name, what };
	}
	if (row?.writes !== true) {
		const what = `${row?.name} may not read and write all tables`;
		return { level: "fail", name, what };
	}
	return mayMigrate
		? { level: "ok", name, what: `${row.name} owns the tables` }
		: {
				level: "warn",
				name,
				what: `${row.name} does not own the tables: a newer version cannot change them`,
			};
}
