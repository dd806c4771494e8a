import { type Stats, statSync } from "node:fs";
import { StartError } from "../lib/start-error.ts";

/** Mode bits of stat(2) that decide who may create, rename and remove the files of a folder. */
const STICKY = 0o1000;
const GROUP_OR_OTHERS_WRITE = 0o022;

const ROOT = 0;

/**
 * Whether others may replace a file in a folder while it is used: if group or others may write to the folder, unless
 * its sticky bit limits each user to their own files, as in /tmp.
 *
 * Two owners are trusted: this user and root, as container platforms provide volumes as folders of root that everybody
 * may write to. Root may use any folder: in a container volumes often belong to another user id. The owners of the
 * folders above are trusted too.
 * @param user the effective user id of this process
 */
export function mayOthersReplace(
	folder: Pick<Stats, "uid" | "mode">,
	user: number,
): boolean {
	if (user === ROOT || folder.uid === ROOT || folder.uid === user) return false;
	return (
		(folder.mode & GROUP_OR_OTHERS_WRITE) !== 0 && (folder.mode & STICKY) === 0
	);
}

/**
 * Why a database or a copy is not safe in a folder; null if it is, and on systems without such users.
 * @throws what the file system reports
 */
export function unsafeFolderFault(folder: string): string | null {
	const user = process.geteuid?.();
	if (user === undefined || !mayOthersReplace(statSync(folder), user)) {
		return null;
	}
	return `others may replace the files of folder ${folder}, which belongs to another user: make it this user's own (chown), or take the right to write from group and others (chmod go-w)`;
}

/** @throws StartError if others may replace the files of a folder, or what the file system reports */
export function requireSafeFolder(folder: string): void {
	const fault = unsafeFolderFault(folder);
	if (fault !== null) throw new StartError(fault, 1);
}
