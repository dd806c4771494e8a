import { statSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../lib/environment.ts";
import { readText } from "../../lib/read-text.ts";
import { StartError } from "../../lib/start-error.ts";
import type { PostgresHost } from "./url/hosts.ts";

/** Finds the password of a host; null when the file has none for it. */
export type FindPassword = (host: PostgresHost) => string | null;

/** The bits of a file's mode that let its group and others do anything. */
const OF_OTHERS = 0o077;

/**
 * Opens the file that `PGPASSFILE` names, or `.pgpass` in `HOME`, which need not be there. Its form is libpq's: lines
 * of `host:port:database:user:password`, the first that fits counts, `*` fits all, a backslash stands before `:` and
 * `\`. A Unix socket is found by its folder or as `localhost`.
 * @throws StartError with exit code 2 when the file cannot be read, or is named and not a plain file; the returned
 * function throws it when it would give a password that others may read (libpq only warns, and gives none)
 */
export function openPasswordFile(
	environment: Environment,
	{ user, database }: { readonly user: string; readonly database: string },
): FindPassword {
	const path = pathOf(environment);
	if (path === null) return () => null;
	const from = `the password file ${JSON.stringify(path)}`;
	const lines = readText(path, from).split(/\r?\n/).map(fieldsOf);
	return ({ host, port, socket }) => {
		const names = socket === null ? [host] : [host, "localhost"];
		const allowed = [names, [`${port}`], [database], [user]];
		const line = lines.find((fields) =>
			allowed.every((values, at) => fits(fields[at], values)),
		);
		const password = line?.[4];
		if (!password) return null;
		requireOwn(path, from);
		return unescaped(password);
	};
}

function pathOf({ PGPASSFILE, HOME }: Environment): string | null {
	if (PGPASSFILE) {
		// Opening a pipe would wait for its writer.
		if (kindOf(PGPASSFILE) !== "other") return PGPASSFILE;
		throw new StartError(
			`PGPASSFILE ${JSON.stringify(PGPASSFILE)}: must be a file`,
			2,
		);
	}
	const path = HOME ? join(HOME, ".pgpass") : null;
	return path !== null && kindOf(path) === "file" ? path : null;
}

/** What stands under a path; `none` also when this user may not look there, as a service in its home. */
function kindOf(path: string): "file" | "other" | "none" {
	try {
		return statSync(path).isFile() ? "file" : "other";
	} catch {
		return "none";
	}
}

/** The fields of a line, still escaped; none of a comment. */
function fieldsOf(line: string): string[] {
	if (line.startsWith("#")) return [];
	return [...`:${line}`.matchAll(/:((?:[^:\\]|\\.?)*)/g)].map(
		([, field = ""]) => field,
	);
}

function fits(field: string | undefined, values: readonly string[]): boolean {
	if (field === undefined) return false;
	return field === "*" || values.includes(unescaped(field));
}

function unescaped(field: string): string {
	return field.replaceAll(/\\(.)/g, "$1");
}

/** Windows has no such modes. */
function requireOwn(path: string, from: string): void {
	if (process.platform === "win32") return;
	if ((statSync(path).mode & OF_OTHERS) === 0) return;
	throw new StartError(
		`${from}: others may read or change it: allow its owner alone (chmod 600)`,
		2,
	);
}
