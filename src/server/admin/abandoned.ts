import { lstatSync, rmSync } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../lib/failure.ts";
import { connectionFailure } from "./connecting.ts";
import { isSocketName } from "./place.ts";

/** How many sockets are tried at most. */
export const MOST_TRIED = 100;

/** How old a socket must be, in milliseconds: one that is just being made refuses connections, too. */
export const YOUNGEST_MS = 5_000;

/**
 * Removes the sockets that instances left in the folder of the user's own when they were killed: those to which nobody
 * listens. All else stays, also what cannot be tried or removed.
 * @param folder of this user alone
 */
export async function removeAbandoned(folder: string): Promise<void> {
	let tried = 0;
	try {
		for await (const { name } of await opendir(folder)) {
			const path = join(folder, name);
			if (!isSocketName(name) || !isOldSocket(path)) continue;
			await removeIfAbandoned(path);
			tried++;
			if (tried === MOST_TRIED) return;
		}
	} catch {
		// What is left harms nobody, and the next start tries again.
	}
}

function isOldSocket(path: string): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.isSocket() === true && Date.now() - found.mtimeMs > YOUNGEST_MS;
}

/** @throws what the file system reports */
async function removeIfAbandoned(path: string): Promise<void> {
	const failure = await connectionFailure(path);
	// Its instance may have been started again meanwhile: then the socket is a young one.
	if (codeOf(failure) === "ECONNREFUSED" && isOldSocket(path)) {
		rmSync(path, { force: true });
	}
}
