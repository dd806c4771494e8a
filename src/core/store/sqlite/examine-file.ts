import type { Database } from "bun:sqlite";
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import {
	type CheckResult,
	type Checks,
	checkSize,
	type Finding,
	fail,
	ok,
	runChecks,
	warn,
} from "../check.ts";
import { inMebibytes, MEBIBYTE, measureFileSystem, reserveOf } from "../space.ts";
import { folderFault, hasLog, schemaInHeader, unsafeFolderFault, writeFault } from "./database-file.ts";
import { hardLinkFault, mountFault } from "./database-lock.ts";
import { findDamage, findOrphans, openReadOnly, schemaVersion, usedBytes } from "./open-database.ts";
import { schemaFault } from "./schema-check.ts";
import { migrations } from "./sqlite-migrations.ts";
import { exists } from "./unfinished-file.ts";

/** The free disk space below which writes fail or will soon fail. */
const NO_ROOM_BYTES = 16 * MEBIBYTE;

/** The free disk space below which the operator should make room. */
const LITTLE_ROOM_BYTES = 100 * MEBIBYTE;

/** What to do if the disk is nearly full. */
const MAKE_ROOM = "free disk space, for example: sudo find /var/lib/resort* -name '*.bak' -delete";

interface Subject {
	/** The value of `--database`. */
	readonly database: string;
	/** The value of `--max-database`; 0 means unlimited. */
	readonly maxBytes: number;
}

const checks: Checks<Subject> = {
	database: ({ database, maxBytes }) =>
		existsSync(database) ? checkContent(realpathSync(database), maxBytes) : checkMissing(database),
	"cannot be served": ({ database }) => {
		if (!existsSync(database)) return null;
		const file = realpathSync(database);
		const unwritable = writeFault(file);
		const fault =
			[database, file].map((path) => unsafeFolderFault(dirname(path))).find((one) => one !== null) ??
			(unwritable === null ? (hardLinkFault(file) ?? mountFault(file)) : `${unwritable}; ${chownOf(file)}`);
		return fault === null ? null : warn(fault);
	},
	"free disk": ({ database }) => {
		const fileSystem = measureFileSystem(dirname(existsSync(database) ? realpathSync(database) : database));
		const { freeBytes } = fileSystem;
		const what = inMebibytes(freeBytes);
		if (freeBytes < NO_ROOM_BYTES) return fail(`${what}: writes fail, or soon will; ${MAKE_ROOM}`);
		const reserve = reserveOf(fileSystem);
		if (freeBytes <= reserve) {
			return warn(
				`${what}, within the reserve of ${inMebibytes(reserve)}: the resort is full, calls that add rows fail; ${MAKE_ROOM}`,
			);
		}
		return freeBytes < LITTLE_ROOM_BYTES ? warn(`${what}: ${MAKE_ROOM}`) : ok(what);
	},
};

/** Checks a database and its location without changing anything. */
export async function examineFile(database: string, maxBytes: number): Promise<CheckResult[]> {
	if (database === ":memory:") return [{ name: "database", ...ok("in memory, not kept") }];
	return runChecks(checks, { database, maxBytes });
}

/**
 * Reads a whole database.
 * @returns why it cannot be used, in one line; null if it can, after a migration if its schema is older
 */
export function contentFault(sqlite: Database): string | null {
	// The other checks would fail on a damaged file.
	const damage = findDamage(sqlite) ?? findOrphans(sqlite);
	if (damage !== null) return damage;
	const version = schemaVersion(sqlite);
	if (version > migrations.length) {
		return `its schema is ${version}, this program uses ${migrations.length}: a newer version is needed`;
	}
	const fault = schemaFault(sqlite);
	return fault && `it differs from resort's schema: ${fault}`;
}

function checkContent(file: string, maxBytes: number): Finding {
	if (schemaInHeader(file) === null) return warn(`${file} is empty; resort serve initializes it`);
	using sqlite = openReadOnly(file);
	const fault = contentFault(sqlite);
	if (fault !== null) return fail(`${file}: ${fault}; stop the resort, then resort restore BACKUP`);
	const version = schemaVersion(sqlite);
	return version === migrations.length
		? checkSize(file, usedBytes(sqlite), maxBytes)
		: warn(`${file} has schema ${version}, this program uses ${migrations.length}: resort serve migrates it`);
}

function checkMissing(database: string): Finding {
	const file = resolve(database);
	const fault = folderFault(dirname(database));
	if (fault !== null) {
		const advice = isAbsolute(database) ? chownOf(file) : "set the database with --database or --config";
		return fail(`${fault}; ${advice}`);
	}
	if (hasLog(file)) {
		return fail(
			`${file} is missing, but ${file}-wal contains its last writes: it was moved or removed; put it back, because resort serve would create an empty database`,
		);
	}
	// The path may be a link to a disk that is not mounted.
	const what = exists(database) ? "is a link to a missing file" : "does not exist; resort serve creates it";
	return warn(`${database} ${what}`);
}

/**
 * Returns the advice to run the command as another user, or to give the folder of a database to the user of
 * the systemd unit.
 */
function chownOf(file: string): string {
	return `run this as the user that runs the instance, or sudo chown -R resort: ${dirname(file)}`;
}
