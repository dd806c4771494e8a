import { existsSync } from "node:fs";
import { SettingError, type StartError } from "../../core/lib/start-error.ts";
import type { Engine, Location } from "../../core/store/engine.ts";
import { parsePostgresUrl, urlFault, withoutPassword } from "./database-url.ts";
import type { PostgresConfig } from "./settings.ts";

/** PostgreSQL. The modules that connect to a database are loaded on demand. */
export const postgresEngine: Engine<PostgresConfig> = {
	name: "PostgreSQL",
	databases: "a postgres:// URL",
	forms: ["postgres://USER@HOST/NAME"],
	urlPrefix: "postgres://",
	hasServer: true,
	backUpEnding: ".dump",
	isNamedBy: (database) => /^postgres\w*:/i.test(database),
	faultOf: urlFault,
	shown(database) {
		// Hides an invalid URL completely, because the password may be anywhere in it.
		return urlFault(database) === null ? withoutPassword(parsePostgresUrl(database)) : "(hidden)";
	},
	async open({ database, config, environment, isAdministration }) {
		const { PostgresStore } = await import("./postgres-store.ts");
		const address = await addressOf({ database, environment });
		const opened = await PostgresStore.open(address, config["database-connections"], isAdministration);
		return { ...opened, warning: null };
	},
	async examine(opening) {
		const { checkDatabase } = await import("./doctor.ts");
		return checkDatabase(opening, Date.now);
	},
	async backUp(from, file) {
		throw otherProgram("", await pgDumpCommand(from, file));
	},
	async restore(to, file) {
		const command = await pgRestoreCommand(to, file);
		throw otherProgram(" after stopping all instances", command);
	},
};

async function addressOf({ database, environment }: Location) {
	const { readAddress } = await import("./credentials.ts");
	return readAddress(database, environment);
}

function otherProgram(when: string, command: string): StartError {
	return new SettingError(`the database is PostgreSQL; use PostgreSQL's own program${when}: ${command}`);
}

/**
 * Returns a POSIX shell command that backs up a database.
 * @param file the backup's file; null for stdout
 * @throws StartError with exit code 2 if the user is unknown, or a file named in the URL cannot be used
 */
export async function pgDumpCommand(from: Location, file: string | null): Promise<string> {
	const url = quote(await urlForLibpq(from));
	if (file === null) return `pg_dump --format=custom ${url}`;
	// Only the owner may read the file, because a backup contains private postcards.
	return `(umask 077; pg_dump --format=custom ${quote(`--file=${file}`)} ${url})`;
}

/**
 * Returns a POSIX shell command that restores a backup in one transaction.
 * @param file the file of the backup
 * @throws StartError as {@link pgDumpCommand} does
 */
export async function pgRestoreCommand(to: Location, file: string): Promise<string> {
	const url = await urlForLibpq(to);
	const path = file.startsWith("-") ? `./${file}` : file;
	return `pg_restore --clean --if-exists --no-owner --single-transaction ${quote(`--dbname=${url}`)} ${quote(path)}`;
}

/**
 * Returns the URL for libpq, without the password. The URL contains `sslrootcert` if libpq must verify the
 * server, and `target_session_attrs` if there are several servers.
 */
async function urlForLibpq(location: Location): Promise<string> {
	const address = await addressOf(location);
	const sslrootcert = address.sslrootcert ?? (address.sslmode === "verify-full" ? systemAuthorities() : null);
	const url = withoutPassword({ ...address, sslrootcert });
	return address.hosts.length === 1 ? url : `${url}&target_session_attrs=read-write`;
}

/**
 * Returns the file of all trusted certificate authorities in Debian or Red Hat. Without such a file, returns
 * `system`, which libpq accepts since version 16.
 */
function systemAuthorities(): string {
	const bundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];
	return bundles.find((path) => existsSync(path)) ?? "system";
}

/** Quotes a word for a POSIX shell if necessary. */
function quote(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
