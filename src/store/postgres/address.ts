import { readFileSync } from "node:fs";
import type { Environment } from "../../lib/environment.ts";
import { readText } from "../../lib/read-text.ts";
import { StartError } from "../../lib/start-error.ts";
import { openPasswordFile } from "./password-file.ts";
import type { PostgresHost } from "./url/hosts.ts";
import { withoutPassword } from "./url/shown.ts";
import { type PostgresUrl, parsePostgresUrl, type SslMode } from "./url/url.ts";

/** A server of the database, and the password to log in there; null when there is none. */
export interface Host extends PostgresHost {
	readonly password: string | null;
}

/** Which certificates a server's may be signed with: those of a file, or the system's. */
export type RootCertificates =
	| { readonly path: string; readonly pem: string }
	| "system";

/** Where a PostgreSQL database is, and how to log in. */
export interface Address {
	/** They are tried in this order, until one takes writes. */
	readonly hosts: readonly [Host, ...Host[]];
	readonly user: string;
	readonly database: string;
	/** It counts for TCP; a Unix socket is never encrypted. */
	readonly sslmode: SslMode;
	/** Null when the URL names none. */
	readonly sslrootcert: RootCertificates | null;
	/** Null when the URL names none. */
	readonly applicationName: string | null;
}

/** Bundles of many authorities have some 200 KiB. */
const MAX_CERTIFICATE_KIBIBYTES = 1024;

/**
 * Reads the address of a PostgreSQL database. What the URL leaves out is taken, as libpq does it, from `PGUSER` or the
 * system's user, and from `PGPASSWORD` or the password file (`PGPASSFILE`, or `.pgpass` in `HOME`). No other
 * variable of libpq is read.
 * @param text a value of `--database` that is PostgreSQL's and has no fault
 * @throws StartError with exit code 2 when a file cannot be used, or the user cannot be told
 */
export function readAddress(text: string, environment: Environment): Address {
	const url = complete(parsePostgresUrl(text), environment);
	const { hosts, user, database, sslmode, applicationName } = url;
	const password = url.password ?? (environment.PGPASSWORD || null);
	const find =
		password === null
			? openPasswordFile(environment, { user, database })
			: () => password;
	const [first, ...others] = hosts;
	const logIn = (host: PostgresHost) => ({ ...host, password: find(host) });
	return {
		hosts: [logIn(first), ...others.map(logIn)],
		user,
		database,
		sslmode,
		sslrootcert: readCertificates(url.sslrootcert),
		applicationName,
	};
}

/** What may be told of an address: a URL with user and database, without the password. */
export function shown({ sslrootcert, ...address }: Address): string {
	return withoutPassword({
		...address,
		password: null,
		sslrootcert:
			typeof sslrootcert === "string"
				? sslrootcert
				: (sslrootcert?.path ?? null),
	});
}

/**
 * Adds user and database to a URL that leaves them out.
 * @throws StartError with exit code 2 when the system does not know its user
 */
export function complete(
	url: PostgresUrl,
	environment: Environment,
): PostgresUrl & { readonly user: string; readonly database: string } {
	const { PGUSER, USER } = environment;
	const user = url.user ?? (PGUSER || nameInPasswd() || USER);
	if (!user) {
		throw new StartError(
			"--database names no user, and the system has no name for this one: give postgres://USER@HOST/NAME or PGUSER",
			2,
		);
	}
	return { ...url, user, database: url.database ?? user };
}

/**
 * The name of this process's user by passwd(5). Bun's `userInfo()` does not know it: it gives what `USER` says.
 * @returns undefined where such users are kept elsewhere, and in containers that run as any number
 */
function nameInPasswd(): string | undefined {
	try {
		return readFileSync("/etc/passwd", "utf8")
			.split("\n")
			.map((line) => line.split(":"))
			.find(([, , id]) => id === `${process.geteuid?.()}`)?.[0];
	} catch {
		return undefined;
	}
}

function readCertificates(path: string | null): RootCertificates | null {
	if (path === null || path === "system") return path;
	const from = `sslrootcert ${JSON.stringify(path)} of --database`;
	const pem = readText(path, from, MAX_CERTIFICATE_KIBIBYTES);
	if (pem.includes("-----BEGIN CERTIFICATE-----")) return { path, pem };
	throw new StartError(`${from}: must be a file of PEM certificates`, 2);
}
