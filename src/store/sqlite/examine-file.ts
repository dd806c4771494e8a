import type { Database } from "bun:sqlite";
import { existsSync, realpathSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { MINUTE_MS, toTimestamp } from "../../lib/clock.ts";
import { messageOf, reasonOf } from "../../lib/error-reason.ts";
import {
	type CheckResult,
	examineWebhooks,
	fail,
	ok,
	TROUBLED_WEBHOOKS,
	warn,
} from "../check-result.ts";
import {
	folderFault,
	schemaInHeader,
	unsafeFolderFault,
	writeFault,
} from "./database-file.ts";
import { hardLinkFault, isServed, traceOfMissing } from "./database-lock.ts";
import {
	findDamage,
	findOrphans,
	openReadOnly,
	readCell,
	readRows,
	schemaVersion,
} from "./open-database.ts";
import { schemaFault } from "./schema-check.ts";
import { migrations } from "./sqlite-migrations.ts";
import { exists } from "./unfinished-file.ts";

const MEBIBYTE = 1024 * 1024;

/** Free room below which writes fail, or soon will. */
const NO_ROOM_BYTES = 16 * MEBIBYTE;

/** Free room below which the host should act. */
const LITTLE_ROOM_BYTES = 100 * MEBIBYTE;

/** How far the clock may be behind the newest entry. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

/** The newest use of the resort: every call of an agent is one. */
const NEWEST_ENTRY =
	"SELECT max(max(created_at, ifnull(last_active, 0))) FROM agents";

/** File systems whose locks and shared memory SQLite cannot rely on, by their type on Linux (statfs(2)). */
const networkFileSystems = new Map([
	[0x6969, "NFS"],
	[0x517b, "SMB"],
	[0xff534d42, "CIFS"],
	[0xfe534d42, "SMB2"],
	[0x65735546, "FUSE"],
]);

/** Checks a database and its place, without changing anything. */
export function examineFile(database: string): CheckResult[] {
	if (database === ":memory:") {
		return [ok("database", "in memory, not kept")];
	}
	if (!existsSync(database)) {
		return [
			examineMissing(database),
			...examineFolders(database),
			...examineFileSystem(dirname(database)),
		];
	}
	const file = realpathSync(database);
	return [
		...examineDatabase(file, Date.now()),
		...warnings("not to be served", writeFault(file)),
		...examineFolders(database, file),
		...examineFileSystem(dirname(file)),
		examineLock(file),
		...warnings("hard links", hardLinkFault(file)),
	];
}

function warnings(name: string, fault: string | null): CheckResult[] {
	return fault === null ? [] : [warn(name, fault)];
}

function examineMissing(database: string): CheckResult {
	const name = "database";
	try {
		const fault =
			folderFault(dirname(database)) ?? traceOfMissing(resolve(database));
		if (fault !== null) return fail(name, fault);
	} catch (error) {
		return fail(name, reasonOf(error));
	}
	// A link may point to a disk that is not mounted.
	const what = exists(database)
		? "is a link to a missing file"
		: "is not there; resort serve makes it";
	return warn(name, `${database} ${what}`);
}

/** Reports whether others may replace the database or a link to it, which serve and restore refuse. */
function examineFolders(...files: string[]): CheckResult[] {
	const faults = files.map((file) => unsafeFolderFault(dirname(file)));
	return [...new Set(faults)]
		.filter((fault) => fault !== null)
		.map((fault) => fail("folder", fault));
}

function examineFileSystem(folder: string): CheckResult[] {
	const { bavail, bsize, type } = statfsSync(folder);
	const isLinux = process.platform === "linux";
	const network = isLinux && networkFileSystems.get(type >>> 0);
	const name = "file system";
	return [
		examineRoom(bavail * bsize),
		network
			? warn(
					name,
					`${network}: SQLite needs locks that such file systems may not keep`,
				)
			: ok(name, "no network file system"),
	];
}

function examineRoom(freeBytes: number): CheckResult {
	const name = "free disk";
	const what = `${Math.floor(freeBytes / MEBIBYTE)} MiB`;
	if (freeBytes < NO_ROOM_BYTES) {
		return fail(name, `${what}: writes fail, or soon will`);
	}
	return freeBytes < LITTLE_ROOM_BYTES ? warn(name, what) : ok(name, what);
}

function examineLock(file: string): CheckResult {
	const name = "served";
	try {
		return ok(name, isServed(file) ? "by another process" : "by no process");
	} catch (error) {
		return fail(name, `cannot be told: ${reasonOf(error)}`);
	}
}

function examineDatabase(file: string, nowMs: number): CheckResult[] {
	try {
		if (schemaInHeader(file) === null) {
			return [warn("database", `${file} is empty; resort serve fills it`)];
		}
		using sqlite = openReadOnly(file);
		const opened = ok("database", file);
		const damage = findDamage(sqlite);
		// Queries on a damaged file fail.
		if (damage !== null) return [opened, fail("integrity", damage)];
		const intact = ok("integrity", "no damage");
		return [opened, intact, ...examineRows(sqlite, nowMs)];
	} catch (error) {
		return [fail("database", messageOf(error))];
	}
}

function examineRows(sqlite: Database, nowMs: number): CheckResult[] {
	const known = migrations.length;
	const version = schemaVersion(sqlite);
	const orphans = findOrphans(sqlite);
	const fault = version > known ? null : schemaFault(sqlite);
	const results = [
		orphans === null
			? ok("foreign keys", "all references lead to a row")
			: fail("foreign keys", orphans),
		examineVersion(version, known),
	];
	if (fault !== null) {
		results.push(fail("schema", `not as resort makes it: ${fault}`));
	} else if (version === known) {
		results.push(
			examineTimes(Number(readCell(sqlite, NEWEST_ENTRY)), nowMs),
			examineWebhooks(readRows(sqlite, TROUBLED_WEBHOOKS)),
		);
	}
	return results;
}

function examineVersion(version: number, known: number): CheckResult {
	const name = "schema version";
	if (version === known) return ok(name, `${version}`);
	const what = `${version}, this program knows ${known}`;
	return version < known
		? warn(name, `${what}: resort serve brings it there`)
		: fail(name, `${what}: a newer one is needed`);
}

/** @param newestMs 0 if there is no entry */
function examineTimes(newestMs: number, nowMs: number): CheckResult {
	const name = "newest entry";
	if (newestMs === 0) return ok(name, "none yet");
	const time = toTimestamp(newestMs);
	return newestMs <= nowMs + CLOCK_TOLERANCE_MS
		? ok(name, time)
		: fail(name, `${time} lies ahead: the clock is wrong`);
}
