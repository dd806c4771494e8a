import type { Database } from "bun:sqlite";
import { existsSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type CheckResult, type Checks, checkSize, fail, ok, runChecks, warn, warnUnless } from "../check.ts";
import { formatBytes, MEBIBYTE, measureFileSystem, reserveOf } from "../space.ts";
import { folderFault, hasLog, schemaInHeader, unsafeFolderFault, writeFault } from "./database-file.ts";
import { hardLinkFault, mountFault } from "./database-lock.ts";
import { findDamage, findOrphans, openReadOnly, schemaVersion, usedBytes } from "./open-database.ts";
import { schemaFault } from "./schema-check.ts";
import { migrations } from "./sqlite-migrations.ts";
import { exists } from "./unfinished-file.ts";

/** The free disk space below which writes fail or will soon fail. */
const NO_ROOM_BYTES = 16 * MEBIBYTE;

interface Subject {
	/** The value of `--database`. */
	readonly database: string;
	/** The real path of the file; null if the file does not exist. */
	readonly file: string | null;
	/** The value of `--max-database`; 0 means unlimited. */
	readonly maxBytes: number;
}

const checks: Checks<Subject> = {
	database({ database, file, maxBytes }) {
		if (file === null) return checkMissing(database);
		if (schemaInHeader(file) === null) return warn(`${file} is empty; resort serve initializes it`);
		using sqlite = openReadOnly(file);
		const fault = contentFault(sqlite);
		if (fault !== null) return fail(`${file}: ${fault}; stop the resort, then resort restore BACKUP`);
		const version = schemaVersion(sqlite);
		if (version === migrations.length) return checkSize(file, usedBytes(sqlite), maxBytes);
		return warn(`${file} has schema ${version}: resort serve migrates it to ${migrations.length}`);
	},
	"cannot be served"({ database, file }) {
		if (file === null) return null;
		const unsafe = unsafeFolderFault(dirname(database)) ?? unsafeFolderFault(dirname(file));
		const fault = unsafe ?? writeFault(file) ?? hardLinkFault(file) ?? mountFault(file);
		return fault === null ? null : warn(fault);
	},
	"free disk"({ database, file }) {
		const fileSystem = measureFileSystem(dirname(file ?? database));
		const what = `${formatBytes(fileSystem.freeBytes)}, the reserve is ${formatBytes(reserveOf(fileSystem))}`;
		const advice =
			"calls that add rows fail, or soon will; free disk space, for example: sudo find /var/lib/resort* -name '*.bak' -delete";
		if (fileSystem.freeBytes < NO_ROOM_BYTES) return fail(`${what}: ${advice}`);
		return warnUnless(fileSystem.freeBytes > reserveOf(fileSystem), what, advice);
	},
};

/** Checks a database and its location without changing anything. */
export async function examineFile(database: string, maxBytes: number): Promise<CheckResult[]> {
	if (database === ":memory:") return [{ name: "database", ...ok("in memory, not kept") }];
	const file = existsSync(database) ? realpathSync(database) : null;
	return runChecks(checks, { database, file, maxBytes });
}

/**
 * Reads a whole database. Returns, on one line, a fault that a migration cannot repair; null if there is
 * none.
 */
export function contentFault(sqlite: Database): string | null {
	// Searches for damage first, because the other checks would fail on a damaged file.
	const damage = findDamage(sqlite) ?? findOrphans(sqlite);
	if (damage !== null) return damage;
	const version = schemaVersion(sqlite);
	if (version > migrations.length) {
		return `its schema is ${version}, this program uses ${migrations.length}: a newer version is needed`;
	}
	const fault = schemaFault(sqlite);
	return fault && `it differs from resort's schema: ${fault}`;
}

function checkMissing(database: string) {
	const file = resolve(database);
	const fault = folderFault(dirname(database));
	if (fault !== null) return fail(`${fault}, or set --database or --config`);
	if (hasLog(file)) return fail(`${file} is missing, but ${file}-wal contains its last writes: put it back`);
	// The path may be a link to a disk that is not mounted.
	const what = exists(database) ? "is a link to a missing file" : "does not exist; resort serve creates it";
	return warn(`${database} ${what}`);
}
