import type { Clock } from "../../lib/clock.ts";
import type { Environment } from "../../lib/environment.ts";
import { examineWebhooks, TROUBLED_WEBHOOKS } from "../examine-webhooks.ts";
import type { Finding } from "../finding.ts";
import type { EngineRow } from "../store.ts";
import { readAddress } from "./credentials.ts";
import { type SslMode, withoutPassword } from "./database-url.ts";
import {
	checkClock,
	checkConnections,
	checkDurability,
} from "./doctor-server.ts";
import { PostgresFailure, Unusable } from "./postgres-failure.ts";
import { readVersion, schemaVersion } from "./postgres-migrations.ts";
import { type PostgresSession, Servers } from "./postgres-session.ts";

/** How an instance would use a database. */
export interface Use {
	/** The most connections that it opens. */
	readonly connections: number;
	readonly environment: Environment;
	/** The clock of this machine. */
	readonly clock: Clock;
}

/**
 * Checks a PostgreSQL database, which may be in use, without changing it. Ends within 5 seconds.
 * @param url a valid PostgreSQL value of `--database`
 * @throws StartError with exit code 2 if a file cannot be used that the URL names
 */
export async function checkDatabase(
	url: string,
	{ connections, environment, clock }: Use,
): Promise<Finding[]> {
	const address = readAddress(url, environment);
	const name = "database";
	let session: PostgresSession | null = null;
	try {
		session = await new Servers(address).open();
		const opened = session;
		const version = await readVersion((text) => opened.runScript(text));
		const [server = {}] = await session.run(SERVER);
		return [
			{ level: "ok", name, what: withoutPassword(address) },
			{
				level: "ok",
				name: "server",
				what: `PostgreSQL ${server.version} at ${session.server}`,
			},
			// readVersion() accepts no other one.
			{ level: "ok", name: "encoding", what: "UTF8" },
			checkTls(server, address.sslmode),
			checkVersion(version),
			...(version === schemaVersion ? [await checkWebhooks(session)] : []),
			await checkRights(session, version),
			...(await checkDurability(session)),
			await checkConnections(session, connections),
			await checkClock(session, clock),
		];
	} catch (error) {
		const isExpected =
			error instanceof PostgresFailure || error instanceof Unusable;
		if (!isExpected) throw error;
		const what = `${withoutPassword(address)}: ${error.message}`;
		return [{ level: "fail", name, what }];
	} finally {
		await session?.close();
	}
}

const SERVER =
	"select current_setting('server_version') as version, inet_client_addr() is null as is_socket, coalesce(inet_client_addr() <<= any('{127.0.0.0/8,::1}'), false) as is_here, (select version from pg_stat_ssl where pid = pg_backend_pid()) as tls";

function checkTls(
	{ is_socket: isSocket, is_here: isHere, tls }: EngineRow,
	sslmode: SslMode,
): Finding {
	const name = "TLS";
	if (isSocket === true) {
		return { level: "ok", name, what: "not needed: a Unix socket" };
	}
	if (tls === null && isHere === true) {
		return { level: "ok", name, what: "none, on this machine" };
	}
	if (tls === null) {
		const what =
			"none: passwords' proofs and all that guests write travel in clear";
		return { level: "warn", name, what };
	}
	const isVerified = sslmode === "verify-full" || sslmode === "verify-ca";
	const what = `${tls}, ${isVerified ? "the server is verified" : "but the server is not verified"} (sslmode=${sslmode})`;
	return { level: isVerified || isHere === true ? "ok" : "warn", name, what };
}

function checkVersion(version: number): Finding {
	const name = "schema version";
	if (version === schemaVersion) {
		return { level: "ok", name, what: `${version}` };
	}
	const what =
		version === 0
			? "none yet; resort serve makes it"
			: `${version}, this program knows ${schemaVersion}: resort serve brings it there, and older instances then answer 503`;
	return { level: "warn", name, what };
}

async function checkWebhooks(session: PostgresSession): Promise<Finding> {
	const rows = await session.run(TROUBLED_WEBHOOKS);
	return examineWebhooks(rows.map(({ state, url }) => ({ state, url })));
}

const RIGHTS = `select current_user as name, current_schema() as schema,
	coalesce(has_schema_privilege(current_schema(), 'create'), false)
		and coalesce(bool_and(pg_has_role(relowner, 'usage')), true) as migrates,
	coalesce(bool_and(has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
		and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete')), true) as writes
	from pg_class where relkind = 'r' and relnamespace = (select oid from pg_namespace where nspname = current_schema())`;

async function checkRights(
	session: PostgresSession,
	version: number,
): Promise<Finding> {
	const name = "rights";
	const [row] = await session.run(RIGHTS);
	if (version < schemaVersion && row?.migrates !== true) {
		const what = `${row?.name} may not make tables in the schema ${row?.schema ?? "public"}: let it own the database`;
		return { level: "fail", name, what };
	}
	if (row?.writes !== true) {
		const what = `${row?.name} may not read and write all tables`;
		return { level: "fail", name, what };
	}
	if (row.migrates === true) {
		return { level: "ok", name, what: `${row.name} owns the tables` };
	}
	const what = `${row.name} does not own the tables: a newer version cannot change them`;
	return { level: "warn", name, what };
}
