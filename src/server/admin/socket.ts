import {
	chmodSync,
	lstatSync,
	mkdirSync,
	type Stats,
	statSync,
	unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { codeOf, reasonOf } from "../../lib/failure.ts";
import { StartError } from "../../lib/start-error.ts";
import { removeAbandoned } from "./abandoned.ts";
import { connectionFailure } from "./connecting.ts";
import type { SocketPlace } from "./place.ts";

/** The socket of the administration, while an instance serves. */
export interface AdminSocket {
	readonly path: string;
	/** How many requests have no answer yet. */
	readonly pendingRequests: number;
	/**
	 * Removes the socket; resolves when all requests in flight are answered.
	 * @param closesActive whether they are cut off
	 */
	stop(closesActive?: boolean): Promise<void>;
}

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Mode bits of stat(2). */
const STICKY = 0o1000;
const GROUP_OR_OTHERS = 0o077;
const GROUP_OR_OTHERS_WRITE = 0o022;

const ROOT = 0;

/** Delay before the folder of the user's own is tidied: the instance is ready by then. */
const TIDY_AFTER_MS = 1_000;

/** How often it is looked whether all requests are answered. */
const LOOK_MS = 10;

/** How long an instance takes at most from the making of its socket until it answers there. */
const STARTING_MS = 100;

/**
 * To rewrite a large database takes longer than the runtime would keep a silent connection. Its types know the option
 * only for ports; it heeds it for sockets, too.
 */
const patient: object = { idleTimeout: 0 };

/** Another instance on this machine, of the same database or the same port, is reached by the socket. */
export class SocketTaken extends StartError {}

/**
 * Listens for the host on a socket that only this user reaches.
 * @throws StartError when others could take its place, or another instance has it
 */
export async function listenForHost(
	{ path, isInOwnFolder }: SocketPlace,
	fetch: (request: Request) => Response | Promise<Response>,
): Promise<AdminSocket> {
	const server = await openSocket(path, isInOwnFolder, fetch).catch((error) => {
		if (error instanceof StartError) throw error;
		throw new StartError(
			`the administration's socket ${path} cannot be made: ${reasonOf(error)}`,
			1,
		);
	});
	const tidying = isInOwnFolder
		? setTimeout(() => removeAbandoned(dirname(path)), TIDY_AFTER_MS).unref()
		: undefined;
	return {
		path,
		get pendingRequests() {
			return server.pendingRequests;
		},
		async stop(closesActive = false) {
			clearTimeout(tidying);
			// The runtime removes the socket at once. It waits for connections, too, over which nothing is asked.
			const stopped = server.stop(closesActive);
			if (closesActive) return stopped;
			while (server.pendingRequests > 0) await Bun.sleep(LOOK_MS);
		},
	};
}

/** @throws StartError, or what the file system reports */
async function openSocket(
	path: string,
	isInOwnFolder: boolean,
	fetch: (request: Request) => Response | Promise<Response>,
): Promise<Bun.Server<undefined>> {
	const folder = dirname(path);
	if (isInOwnFolder) {
		mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
	}
	requireSafe(folder, isInOwnFolder);
	await makeWay(path);
	try {
		return listen(path, fetch);
	} catch (error) {
		if (codeOf(error) !== "EADDRINUSE") throw error;
		// Another instance that starts at the same time has just made it, and may not listen yet.
		await Bun.sleep(STARTING_MS);
		await makeWay(path);
		return listen(path, fetch);
	}
}

function listen(
	path: string,
	fetch: (request: Request) => Response | Promise<Response>,
): Bun.Server<undefined> {
	// Narrow from the first moment on, whatever the umask of the caller.
	const umask = process.umask(0o177);
	try {
		const server = Bun.serve({
			unix: path,
			fetch,
			development: false,
			...patient,
		});
		chmodSync(path, PRIVATE_FILE);
		return server;
	} finally {
		process.umask(umask);
	}
}

/**
 * Whether others could put a socket of theirs in the place of ours: who has the folder, or who may write to it without
 * being held to files of their own.
 */
function couldOthersReplace(
	{ uid, mode }: Pick<Stats, "uid" | "mode">,
	user: number,
): boolean {
	// In a container the numbers of users mean nothing outside it.
	const isOthers = uid !== user && uid !== ROOT && user !== ROOT;
	const isShared =
		(mode & GROUP_OR_OTHERS_WRITE) !== 0 && (mode & STICKY) === 0;
	return isOthers || isShared;
}

function requireSafe(folder: string, isOwn: boolean): void {
	const user = process.geteuid?.() ?? ROOT;
	const found = isOwn ? lstatSync(folder) : statSync(folder);
	// Somebody else may have made the folder in /tmp before.
	const isNarrow =
		found.isDirectory() &&
		found.uid === user &&
		(found.mode & GROUP_OR_OTHERS) === 0;
	if (isOwn ? !isNarrow : couldOthersReplace(found, user)) {
		const right = isOwn
			? "take all rights from group and others (chmod 700)"
			: "take the right to write from group and others (chmod go-w)";
		throw new StartError(
			`others could replace the administration's socket in ${folder}: make the folder this user's own and ${right}, or say --admin-socket PATH, or off`,
			1,
		);
	}
}

/** Removes the socket that an instance left behind when it was killed. */
async function makeWay(path: string): Promise<void> {
	const found = lstatSync(path, { throwIfNoEntry: false });
	if (found === undefined) return;
	if (!found.isSocket()) {
		throw new StartError(`${path} is there, and is no socket`, 1);
	}
	if ((await connectionFailure(path)) === null) {
		throw new SocketTaken(
			`another instance has the administration's socket ${path}`,
			1,
		);
	}
	const now = lstatSync(path, { throwIfNoEntry: false });
	if (now === undefined) return;
	// Another instance that starts at the same time may have taken its place meanwhile.
	const isStill = now.ino === found.ino && now.ctimeMs === found.ctimeMs;
	if (!isStill) return makeWay(path);
	unlinkSync(path);
}
