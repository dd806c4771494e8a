import { existsSync } from "node:fs";
import type { Environment } from "../../lib/environment.ts";
import { complete } from "./address.ts";
import { withoutPassword } from "./url/shown.ts";
import { parsePostgresUrl } from "./url/url.ts";

/**
 * The line that backs up a database, for a POSIX shell.
 * @param text a value of `--database` that is PostgreSQL's and has no fault
 * @param file of the back-up; null for stdout
 * @throws StartError as {@link complete}
 */
export function pgDumpLine(
	text: string,
	environment: Environment,
	file: string | null,
): string {
	const url = urlForLibpq(text, environment);
	if (file === null) return `pg_dump --format=custom ${quote(url)}`;
	// The file holds private postcards.
	return `(umask 077; pg_dump --format=custom ${quote(`--file=${file}`)} ${quote(url)})`;
}

/** The line that restores such a back-up, whole or not at all, in place of what is there; as {@link pgDumpLine}. */
export function pgRestoreLine(
	text: string,
	environment: Environment,
	file: string,
): string {
	const url = urlForLibpq(text, environment);
	const path = file.startsWith("-") ? `./${file}` : file;
	return `pg_restore --clean --if-exists --no-owner --single-transaction ${quote(`--dbname=${url}`)} ${quote(path)}`;
}

/** The URL without its password, and safe with the presets of libpq, which verifies against no authority by itself. */
function urlForLibpq(text: string, environment: Environment): string {
	const url = complete(parsePostgresUrl(text), environment);
	const sslrootcert =
		url.sslrootcert ??
		(url.sslmode === "verify-full" ? allAuthorities() : null);
	const shown = withoutPassword({ ...url, sslrootcert });
	return url.hosts.length === 1
		? shown
		: `${shown}&target_session_attrs=read-write`;
}

/** The file with the certificates of all authorities that the system trusts, as Debian and Red Hat name it. */
const bundles = [
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
];

/** The authorities that the system trusts: libpq 15 takes only a file of them, later ones the word `system` too. */
function allAuthorities(): string {
	return bundles.find((path) => existsSync(path)) ?? "system";
}

/** Quotes a word for a POSIX shell where that is needed. */
function quote(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word)
		? word
		: `'${word.replaceAll("'", "'\\''")}'`;
}
