import {
	chmodSync,
	lstatSync,
	mkdirSync,
	type Stats,
	statSync,
	unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../lib/start-error.ts";
import { connectionFailure } from "./connecting.ts";
import type { SocketPlace } from "./place.ts";

/** The socket of the administration, while an instance serves. */
export interface AdminSocket {
	readonly path: string;
	/** Answers nobody any more, and removes the socket. */
	stop(): Promise<void>;
}

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Mode bits of stat(2). */
const STICKY = 0o1000;
const GROUP_OR_OTHERS = 0o077;
const GROUP_OR_OTHERS_WRITE = 0o022;

const ROOT = 0;

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
	const { ino } = lstatSync(path);
	return {
		path,
		async stop() {
			await server.stop(true);
			// Only its own: another instance may have come by now.
			if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino)
				unlinkSync(path);
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
	// Narrow from the first moment on, whatever the umask of the caller.
	const umask = process.umask(0o177);
	try {
		const server = Bun.serve({ unix: path, fetch, development: false });
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
export function couldOthersReplace(
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
		throw new StartError(
			`others could replace the administration's socket in ${folder}: make the folder this user's own and take the right to write from group and others (chmod go-w), or say --admin-socket PATH, or off`,
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
	unlinkSync(path);
}

function reasonOf(error: unknown): string {
	return error instanceof Error && "code" in error
		? String(error.code)
		: String(error);
}
