import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../../core/lib/read-text.ts";
import { SettingError } from "../../core/lib/start-error.ts";
import { nameInPasswd } from "../../core/store/system-user.ts";
import { isSocket, type PostgresHost, type PostgresUrl, parsePostgresUrl } from "./database-url.ts";

/** The maximum size of a file of certificates. A bundle of many authorities has about 200 KiB. */
const MAX_CERTIFICATE_KIBIBYTES = 1024;

/** The mode bits of a file's group and of other users. */
const GROUP_AND_OTHERS = 0o077;

/** A server of the database, with the password for this server. */
export interface Host extends PostgresHost {
	readonly password: string | null;
}

/** A PostgreSQL database, with everything that is required to log in. */
export interface Address extends PostgresUrl {
	readonly hosts: readonly Host[];
	readonly user: string;
	readonly database: string;
	/** The certificates in the file `sslrootcert`, as PEM; null for the system's certificates. */
	readonly authorities: string | null;
}

/**
 * Reads the address of a database. As in libpq, a missing user comes from `PGUSER` or is the system's user,
 * and a missing password comes from `PGPASSWORD` or the password file (`PGPASSFILE`, or `.pgpass` in `HOME`).
 * @param text a valid PostgreSQL value of `--database`
 * @throws StartError with exit code 2 if a file cannot be used or the user is unknown
 */
export function readAddress(text: string, environment: NodeJS.ProcessEnv): Address {
	const url = parsePostgresUrl(text);
	const { PGUSER, PGPASSWORD, USER } = environment;
	const user = url.user ?? (PGUSER || nameInPasswd() || USER);
	if (!user) {
		throw new SettingError(
			"--database contains no user, and the system user has no name: set postgres://USER@HOST/NAME or PGUSER",
		);
	}
	const database = url.database ?? user;
	const password = url.password ?? (PGPASSWORD || null);
	const find = password === null ? openPasswordFile(environment, user, database) : () => password;
	return {
		...url,
		password: null,
		user,
		database,
		hosts: url.hosts.map((host) => ({ ...host, password: find(host) })),
		authorities: readAuthorities(url.sslrootcert),
	};
}

function readAuthorities(path: string | null): string | null {
	if (path === null || path === "system") return null;
	const source = `sslrootcert ${JSON.stringify(path)} of --database`;
	const pem = readText(path, source, MAX_CERTIFICATE_KIBIBYTES);
	if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
	throw new SettingError(`${source}: must be a file of PEM certificates`);
}

/**
 * Opens the password file. As in libpq, it has lines `host:port:database:user:password`, and the first
 * matching line applies. `*` matches everything, and a backslash escapes `:` and `\`. A Unix socket matches
 * by its folder or as `localhost`.
 * @returns a function that returns the password for a host, or null; it throws StartError with exit code 2 if
 * others can read the file
 * @throws StartError with exit code 2 if the file cannot be read
 */
function openPasswordFile(
	{ PGPASSFILE, HOME }: NodeJS.ProcessEnv,
	user: string,
	database: string,
): (host: PostgresHost) => string | null {
	const path = PGPASSFILE || (HOME ? join(HOME, ".pgpass") : "");
	// The default file is optional, and a service may not be allowed to read its home folder.
	if (!PGPASSFILE && !existsSync(path)) return () => null;
	const source = `the password file ${JSON.stringify(path)}`;
	const lines = readText(path, source).split(/\r?\n/).map(splitLine);
	return (host) => {
		const hosts = isSocket(host) ? [host.host, "localhost"] : [host.host];
		const expected = [hosts, [`${host.port}`], [database], [user]];
		const line = lines.find((fields) =>
			expected.every((values, at) => {
				const field = fields[at];
				return field === "*" || values.includes(unescapeField(field ?? ""));
			}),
		);
		const password = unescapeField(line?.[4] ?? "");
		if (password === "") return null;
		// Skips the check on Windows, whose files have no such mode bits.
		const isPrivate = process.platform === "win32" || (statSync(path).mode & GROUP_AND_OTHERS) === 0;
		if (isPrivate) return password;
		throw new SettingError(`${source}: others can read or change it: restrict it to its owner (chmod 600)`);
	};
}

/** Splits a line into its fields without unescaping them. Returns an empty list for a comment. */
function splitLine(line: string): string[] {
	if (line.startsWith("#")) return [];
	return [...`:${line}`.matchAll(/:((?:[^:\\]|\\.?)*)/g)].map(([, field = ""]) => field);
}

function unescapeField(field: string): string {
	return field.replaceAll(/\\(.)/g, "$1");
}
