import { existsSync } from "node:fs";
import { SettingError, type StartError } from "../../core/lib/start-error.ts";
import { quoteForShell } from "../../core/lib/text.ts";
import { type Engine, type Location, shownUrl } from "../../core/store/engine.ts";
import { readAddress } from "./credentials.ts";
import { parsePostgresUrl, urlFault, withoutPassword } from "./database-url.ts";
import type { PostgresConfig } from "./settings.ts";

/** The engine PostgreSQL. The modules that connect to a database are loaded on demand. */
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
		return urlFault(database) === null ? withoutPassword(parsePostgresUrl(database)) : shownUrl(database);
	},
	async open({ database, config, environment, isAdministration }) {
		const { PostgresStore } = await import("./postgres-store.ts");
		const address = readAddress(database, environment);
		const opened = await PostgresStore.open(address, config["database-connections"], isAdministration);
		return { ...opened, warning: null };
	},
	async examine(opening) {
		const { checkDatabase } = await import("./doctor.ts");
		return checkDatabase(opening, Date.now);
	},
	async backUp(from, file) {
		const dump = (...words: string[]) => `pg_dump --format=custom ${words.map(quote).join(" ")}`;
		const url = urlForLibpq(from);
		// Only the owner may read the file, because a backup contains private postcards.
		const command = file === null ? dump(url) : `(umask 077; ${dump(`--file=${file}`, url)})`;
		throw otherProgram("", command);
	},
	async restore(to, file) {
		const path = file.startsWith("-") ? `./${file}` : file;
		const words = [`--dbname=${urlForLibpq(to)}`, path].map(quote).join(" ");
		throw otherProgram(
			" after stopping all instances",
			`pg_restore --clean --if-exists --no-owner --single-transaction ${words}`,
		);
	},
};

/** @param command a command of a POSIX shell */
function otherProgram(when: string, command: string): StartError {
	return new SettingError(`the database is PostgreSQL; use PostgreSQL's own program${when}: ${command}`);
}

/** Returns a URL without the password. With this URL, libpq verifies the server as this program does. */
function urlForLibpq({ database, environment }: Location): string {
	const address = readAddress(database, environment);
	const sslrootcert = address.sslrootcert ?? (address.sslmode === "verify-full" ? systemAuthorities() : null);
	const url = withoutPassword({ ...address, sslrootcert });
	return address.hosts.length === 1 ? url : `${url}&target_session_attrs=read-write`;
}

/** Returns the trusted authorities: a file on Debian and Red Hat, else `system`, which requires libpq 16. */
function systemAuthorities(): string {
	const bundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];
	return bundles.find((path) => existsSync(path)) ?? "system";
}

function quote(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteForShell(word);
}
