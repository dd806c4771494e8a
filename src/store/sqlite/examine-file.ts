import type { Database } from "bun:sqlite";
import { existsSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { MINUTE_MS, toTimestamp } from "../../lib/clock.ts";
import { messageOf, reasonOf } from "../../lib/error-reason.ts";
import { StartError } from "../../lib/start-error.ts";
import {
	type CheckResult,
	examineSize,
	examineWebhooks,
	fail,
	ok,
	SERVED,
	TROUBLED_WEBHOOKS,
	warn,
} from "../check-result.ts";
import { type FileSystem, inMebibytes, MEBIBYTE, reserveOf } from "../space.ts";
import { folderFault, schemaInHeader, unsafeFolderFault, writeFault } from "./database-file.ts";
import { hardLinkFault, isServed, mountFault } from "./database-lock.ts";
import { measureFileSystem, usedBytes } from "./file-space.ts";
import { findDamage, findOrphans, openReadOnly, readCell, readRows, schemaVersion } from "./open-database.ts";
import { schemaFault } from "./schema-check.ts";
import { migrations } from "./sqlite-migrations.ts";
import { exists } from "./unfinished-file.ts";

/** The free disk space below which writes fail or will soon fail. */
const NO_ROOM_BYTES = 16 * MEBIBYTE;

/** The free disk space below which the operator should make room. */
const LITTLE_ROOM_BYTES = 100 * MEBIBYTE;

/** What to do if the disk is nearly full. */
const MAKE_ROOM = "free disk space, for example: sudo find /var/lib/resort* -name '*.bak' -delete";

/**
 * How far in the future the newest entry may be. If it is further in the future, the clock is reported as
 * wrong.
 */
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

/**
 * The file system types NFS, SMB, CIFS, SMB2 and FUSE on Linux (statfs(2)). Their locks and shared memory are
 * not reliable enough for SQLite.
 */
const unreliable = [0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546];

/**
 * Checks a database and its location without changing anything.
 * @param maxBytes the value of `--max-database`; 0 means unlimited
 */
export function examineFile(database: string, maxBytes: number): CheckResult[] {
	if (database === ":memory:") {
		return [ok("database", "in memory, not kept")];
	}
	if (!existsSync(database)) {
		return [examineMissing(database), ...examineFolders(database), ...examineFileSystem(dirname(database))];
	}
	const file = realpathSync(database);
	const unwritable = writeFault(file);
	const fault =
		unwritable === null ? (hardLinkFault(file) ?? mountFault(file)) : `${unwritable}; ${chownOf(file)}`;
	return [
		...examineDatabase(file, maxBytes),
		...(fault === null ? [] : [warn("cannot be served", fault)]),
		...examineFolders(database, file),
		...examineFileSystem(dirname(file)),
		examineLock(file),
	];
}

/**
 * Opens a database for reading, and checks it before it is copied.
 * @param file the real path of the database
 * @param accepted the levels of check results that are accepted
 * @param remedy what to do about damage
 * @throws StartError if a check has a result of another level
 */
export function openSound(
	file: string,
	accepted: readonly CheckResult["level"][],
	remedy?: string,
): Database {
	const sqlite = openReadOnly(file);
	const results = examineContent(sqlite, remedy);
	const fault = results.find(({ level }) => !accepted.includes(level));
	if (fault === undefined) return sqlite;
	sqlite.close();
	throw new StartError(`database ${file} cannot be copied: ${fault.name}: ${fault.what}`);
}

function examineMissing(database: string): CheckResult {
	const name = "database";
	const file = resolve(database);
	try {
		const fault = folderFault(dirname(database));
		if (fault !== null) {
			const advice = isAbsolute(database) ? chownOf(file) : "set the database with --database or --config";
			return fail(name, `${fault}; ${advice}`);
		}
		const trace = traceOfMissing(file);
		if (trace !== null) {
			return fail(
				name,
				`${file} is missing, but ${trace}: it was moved or removed; put it back, because resort serve would create an empty database`,
			);
		}
	} catch (error) {
		return fail(name, reasonOf(error));
	}
	// The path may be a link to a disk that is not mounted.
	const what = exists(database) ? "is a link to a missing file" : "does not exist; resort serve creates it";
	return warn(name, `${database} ${what}`);
}

/**
 * Returns the advice to run the command as another user, or to give the folder of a database to the user of
 * the systemd unit.
 */
function chownOf(file: string): string {
	return `run this as the user that runs the instance, or sudo chown -R resort: ${dirname(file)}`;
}

/** Returns evidence that a missing database was moved or deleted; null if there is none. */
function traceOfMissing(file: string): string | null {
	if (isServed(file)) return "a process serves it";
	const log = [`${file}-wal`, `${file}-journal`].find(
		(path) => statSync(path, { throwIfNoEntry: false })?.size,
	);
	return log === undefined ? null : `${log} contains its last writes`;
}

/**
 * Reports whether other users can replace the database or a link to it. `serve` and `restore` refuse such a
 * database.
 */
function examineFolders(...files: string[]): CheckResult[] {
	const faults = files.map((file) => unsafeFolderFault(dirname(file)));
	return [...new Set(faults)].filter((fault) => fault !== null).map((fault) => fail("folder", fault));
}

function examineFileSystem(folder: string): CheckResult[] {
	const { type } = statfsSync(folder);
	const name = "file system";
	return [
		examineRoom(measureFileSystem(folder)),
		unreliable.includes(type >>> 0)
			? warn(name, "NFS, SMB or FUSE: SQLite needs locks, which they may not support")
			: ok(name, "not a network file system"),
	];
}

function examineRoom(fileSystem: FileSystem): CheckResult {
	const { freeBytes } = fileSystem;
	const name = "free disk";
	const what = inMebibytes(freeBytes);
	if (freeBytes < NO_ROOM_BYTES) {
		return fail(name, `${what}: writes fail, or soon will; ${MAKE_ROOM}`);
	}
	const reserve = reserveOf(fileSystem);
	if (freeBytes <= reserve) {
		return warn(
			name,
			`${what}, within the reserve of ${inMebibytes(reserve)}: the resort is full, calls that add rows fail; ${MAKE_ROOM}`,
		);
	}
	return freeBytes < LITTLE_ROOM_BYTES ? warn(name, `${what}: ${MAKE_ROOM}`) : ok(name, what);
}

function examineLock(file: string): CheckResult {
	const name = "served";
	try {
		return ok(name, isServed(file) ? SERVED : "by no process");
	} catch (error) {
		return fail(name, `unknown: ${reasonOf(error)}`);
	}
}

function examineDatabase(file: string, maxBytes: number): CheckResult[] {
	try {
		if (schemaInHeader(file) === null) {
			return [warn("database", `${file} is empty; resort serve initializes it`)];
		}
		using sqlite = openReadOnly(file);
		const results = examineContent(sqlite);
		if (results.every(({ level }) => level === "ok")) {
			results.push(
				examineSize(usedBytes(sqlite), maxBytes),
				examineTimes(sqlite),
				examineWebhooks(readRows(sqlite, TROUBLED_WEBHOOKS)),
			);
		}
		return [ok("database", file), ...results];
	} catch (error) {
		return [fail("database", messageOf(error))];
	}
}

function examineContent(
	sqlite: Database,
	remedy = "stop the resort, then resort restore BACKUP",
): CheckResult[] {
	const damage = findDamage(sqlite);
	// Skips the other checks, because they would fail on a damaged file.
	if (damage !== null) return [fail("integrity", `${damage}: ${remedy}`)];
	const orphans = findOrphans(sqlite);
	const version = schemaVersion(sqlite);
	const results = [
		ok("integrity", "no damage"),
		orphans === null ? ok("foreign keys", "all references are valid") : fail("foreign keys", orphans),
		examineVersion(version),
	];
	const fault = version > migrations.length ? null : schemaFault(sqlite);
	if (fault !== null) {
		results.push(fail("schema", `differs from resort's schema: ${fault}`));
	}
	return results;
}

function examineVersion(version: number): CheckResult {
	const name = "schema version";
	const known = migrations.length;
	if (version === known) return ok(name, `${version}`);
	const what = `${version}, this program uses ${known}`;
	return version < known
		? warn(name, `${what}: resort serve migrates it`)
		: fail(name, `${what}: a newer version is needed`);
}

/** Compares the clock with the newest time at which an agent registered or made a call. */
function examineTimes(sqlite: Database): CheckResult {
	const name = "newest entry";
	const text = "SELECT max(max(created_at, ifnull(last_active, 0))) FROM agents";
	const newestMs = Number(readCell(sqlite, text));
	if (newestMs === 0) return ok(name, "none yet");
	const time = toTimestamp(newestMs);
	return newestMs <= Date.now() + CLOCK_TOLERANCE_MS
		? ok(name, time)
		: fail(name, `${time} is in the future: the clock is wrong`);
}
