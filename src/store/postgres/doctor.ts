import type { Clock } from "../../lib/clock.ts";
import { type CheckResult, fail, ok, warn } from "../check-result.ts";
import type { Opening } from "../engine.ts";
import { examineWebhooks, TROUBLED_WEBHOOKS } from "../examine-webhooks.ts";
import type { EngineRow } from "../store.ts";
import { readAddress } from "./credentials.ts";
import { type SslMode, withoutPassword } from "./database-url.ts";
import {
	checkClock,
	checkConnections,
	checkDurability,
} from "./doctor-server.ts";
import { PostgresFailure } from "./postgres-failure.ts";
import { readVersion, schemaVersion } from "./postgres-migrations.ts";
import { openSession, type PostgresSession } from "./postgres-session.ts";
import { Servers } from "./servers.ts";

/**
 * Checks a PostgreSQL database, which may be in use, without changing it. Ends within 5 seconds.
 * @param clock of this machine
 * @throws StartError with exit code 2 if a file cannot be used that the URL names
 */
export async function checkDatabase(
	{ database, connections, environment }: Opening,
	clock: Clock,
): Promise<CheckResult[]> {
	const address = readAddress(database, environment);
	const name = "database";
	try {
		await using session = await openSession(new Servers(address));
		const version = await readVersion((text) => session.runScript(text));
		const [server = {}] = await session.run(SERVER);
		return [
			ok(name, withoutPassword(address)),
			ok("server", `PostgreSQL ${server.version} at ${session.server}`),
			// readVersion() accepts no other one.
			ok("encoding", "UTF8"),
			checkTls(server, address.sslmode),
			checkVersion(version),
			...(version === schemaVersion ? [await checkWebhooks(session)] : []),
			await checkRights(session, version),
			...(await checkDurability(session)),
			await checkConnections(session, connections),
			await checkClock(session, clock),
		];
	} catch (error) {
		if (!(error instanceof PostgresFailure)) throw error;
		return [fail(name, `${withoutPassword(address)}: ${error.message}`)];
	}
}

const SERVER =
	"select current_setting('server_version') as version, inet_client_addr() is null as is_socket, coalesce(inet_client_addr() <<= any('{127.0.0.0/8,::1}'), false) as is_here, (select version from pg_stat_ssl where pid = pg_backend_pid()) as tls";

function checkTls(
	{ is_socket: isSocket, is_here: isHere, tls }: EngineRow,
	sslmode: SslMode,
): CheckResult {
	const name = "TLS";
	if (isSocket === true) return ok(name, "not needed: a Unix socket");
	if (tls === null && isHere === true) return ok(name, "none, on this machine");
	if (tls === null) {
		return warn(
			name,
			"none: passwords' proofs and all that guests write travel in clear",
		);
	}
	const isVerified = sslmode === "verify-full" || sslmode === "verify-ca";
	const what = `${tls}, ${isVerified ? "the server is verified" : "but the server is not verified"} (sslmode=${sslmode})`;
	return isVerified || isHere === true ? ok(name, what) : warn(name, what);
}

function checkVersion(version: number): CheckResult {
	const name = "schema version";
	if (version === schemaVersion) return ok(name, `${version}`);
	if (version === 0) return warn(name, "none yet; resort serve makes it");
	return warn(
		name,
		`${version}, this program knows ${schemaVersion}: resort serve brings it there, and older instances then answer 503`,
	);
}

async function checkWebhooks(session: PostgresSession): Promise<CheckResult> {
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
): Promise<CheckResult> {
	const name = "rights";
	const [row] = await session.run(RIGHTS);
	if (version < schemaVersion && row?.migrates !== true) {
		return fail(
			name,
			`${row?.name} may not make tables in the schema ${row?.schema ?? "public"}: let it own the database`,
		);
	}
	if (row?.writes !== true) {
		return fail(name, `${row?.name} may not read and write all tables`);
	}
	if (row.migrates === true) {
		return ok(name, `${row.name} owns the tables`);
	}
	return warn(
		name,
		`${row.name} does not own the tables: a newer version cannot change them`,
	);
}
