import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { sha256 } from "../../lib/credential.ts";
import type { Environment } from "../../lib/environment.ts";
import { engineOf } from "../../store/engines.ts";

/** The longest path that a socket may have, in bytes, on all systems (`sun_path` of unix(7) without its end). */
const MAX_PATH = 103;

/** What the place of the socket follows from. */
export interface Placing {
	readonly database: string;
	/** Of the instance: what tells instances in memory apart. */
	readonly port: number;
	/** `off`, or a path; null where it follows from the others. */
	readonly "admin-socket": string | null;
}

/** Where the host reaches a running instance. */
export interface SocketPlace {
	readonly path: string;
	/** Whether it was given, and not worked out. */
	readonly isGiven: boolean;
	/** Whether its folder is one that the program makes for itself. */
	readonly isInOwnFolder: boolean;
}

/**
 * Where the socket of the administration is: beside the database, or in a folder of the user's own.
 * @returns null when it is off
 */
export function socketPlace(
	{ database, port, "admin-socket": given }: Placing,
	environment: Environment,
): SocketPlace | null {
	if (given === "off") return null;
	if (given !== null) {
		return { path: resolve(given), isGiven: true, isInOwnFolder: false };
	}
	const engine = engineOf(database);
	const inOwnFolder = (address: string) => ({
		path: join(ownFolder(environment), nameOf(address)),
		isGiven: false,
		isInOwnFolder: true,
	});
	if (engine.hasServer) return inOwnFolder(engine.shown(database));
	if (database === ":memory:") return inOwnFolder(`port ${port}`);
	const path = `${wholePath(database)}-admin`;
	return Buffer.byteLength(path) > MAX_PATH
		? inOwnFolder(path)
		: { path, isGiven: false, isInOwnFolder: false };
}

/** The folder for sockets that stand beside no file. */
function ownFolder({ XDG_RUNTIME_DIR, TMPDIR }: Environment): string {
	return XDG_RUNTIME_DIR
		? join(XDG_RUNTIME_DIR, "resort")
		: join(TMPDIR || "/tmp", `resort-${process.geteuid?.() ?? 0}`);
}

function nameOf(address: string): string {
	return `${sha256(address).toHex().slice(0, 20)}-admin`;
}

/** Whether a file in the folder of the user's own is named as the sockets that are made there. */
export function isSocketName(name: string): boolean {
	return /^[0-9a-f]{20}-admin$/.test(name);
}

/** The path of a file without links; the file itself need not be there yet. */
function wholePath(file: string): string {
	try {
		return realpathSync(file);
	} catch {
		const folder = dirname(resolve(file));
		try {
			return join(realpathSync(folder), basename(file));
		} catch {
			return resolve(file);
		}
	}
}
