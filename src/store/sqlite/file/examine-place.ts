import { existsSync, lstatSync, realpathSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf } from "../../../lib/error-reason.ts";
import type { Finding } from "../../finding.ts";
import { sharedFolderFault } from "../../folder.ts";
import { traceOfAbsent } from "./absence.ts";
import { examineDatabase } from "./examine.ts";
import { folderFault, writeFault } from "./file.ts";
import { isServed, severalNames } from "./lock.ts";

const MEBIBYTE = 1024 * 1024;

/** Free room under which writes fail, or are about to. */
const NO_ROOM_BYTES = 16 * MEBIBYTE;

/** Free room is little below the first of these; on a large disk below a tenth of it, but never above the second. */
const LITTLE_ROOM_BYTES = 100 * MEBIBYTE;
const ENOUGH_ROOM_BYTES = 1024 * MEBIBYTE;
const LITTLE_PART = 0.1;

/** File systems whose locks and shared memory SQLite cannot rely on, by their type on Linux (statfs(2)). */
const networkFileSystems = new Map([
	[0x6969, "NFS"],
	[0x517b, "SMB"],
	[0xff534d42, "CIFS"],
	[0xfe534d42, "SMB2"],
	[0x65735546, "FUSE"],
]);

/** Checks a database, and the place where it stands or will stand; changes nothing. */
export function examinePlace(database: string): Finding[] {
	if (database === ":memory:") {
		return [{ level: "ok", name: "database", what: "in memory, not kept" }];
	}
	if (!existsSync(database)) {
		return [
			examineAbsence(database),
			...examineFolders(database),
			...examineFileSystem(dirname(database)),
		];
	}
	const file = realpathSync(database);
	return [
		...examineDatabase(file, Date.now()),
		...examineRights(file),
		...examineFolders(database, file),
		...examineFileSystem(dirname(file)),
		examineLock(file),
		...examineNames(file),
	];
}

function examineAbsence(database: string): Finding {
	const name = "database";
	const fault = folderFault(dirname(database));
	if (fault !== null) return { level: "fail", name, what: fault.what };
	try {
		const trace = traceOfAbsent(database);
		if (trace !== null) return { level: "fail", name, what: trace };
	} catch (error) {
		return { level: "fail", name, what: reasonOf(error) };
	}
	// A link may lead to a disk that is not mounted.
	const isLink = lstatSync(database, { throwIfNoEntry: false }) !== undefined;
	const what = isLink
		? "is a link that leads to no file"
		: "is not there; resort serve makes it";
	return { level: "warn", name, what: `${database} ${what}` };
}

/** Whether others may replace the database or a link to it, which serve and restore refuse. */
function examineFolders(...files: string[]): Finding[] {
	const faults = files.map((file) => sharedFolderFault(dirname(file)));
	return [...new Set(faults)]
		.filter((fault) => fault !== null)
		.map((what) => ({ level: "fail", name: "folder", what }));
}

function examineFileSystem(folder: string): Finding[] {
	const { bavail, blocks, bsize, type } = statfsSync(folder);
	const network =
		process.platform === "linux"
			? networkFileSystems.get(type >>> 0)
			: undefined;
	return [
		examineRoom(bavail * bsize, blocks * bsize),
		network === undefined
			? { level: "ok", name: "file system", what: "no network file system" }
			: {
					level: "warn",
					name: "file system",
					what: `${network}: SQLite needs locks that such file systems may not keep`,
				},
	];
}

/**
 * @param free in bytes
 * @param whole the size of the disk in bytes
 */
function examineRoom(free: number, whole: number): Finding {
	const name = "free disk";
	const what = `${Math.floor(free / MEBIBYTE)} MiB`;
	if (free < NO_ROOM_BYTES) {
		return { level: "fail", name, what: `${what}: writes fail, or soon will` };
	}
	const part = Math.min(whole * LITTLE_PART, ENOUGH_ROOM_BYTES);
	const isLittle = free < Math.max(part, LITTLE_ROOM_BYTES);
	return { level: isLittle ? "warn" : "ok", name, what };
}

/** Whether this user could serve the database; only a warning, because it may be meant to be looked at alone. */
function examineRights(file: string): Finding[] {
	const fault = writeFault(file);
	return fault === null
		? []
		: [{ level: "warn", name: "not to be served", what: fault }];
}

function examineLock(file: string): Finding {
	const name = "served";
	try {
		const what = isServed(file) ? "by another process" : "by no process";
		return { level: "ok", name, what };
	} catch (error) {
		const what = `cannot be told: ${reasonOf(error)}`;
		return { level: "fail", name, what };
	}
}

function examineNames(file: string): Finding[] {
	const what = severalNames(file);
	return what === null
		? []
		: [{ level: "warn", name: "hard links", what: `${file} ${what}` }];
}
