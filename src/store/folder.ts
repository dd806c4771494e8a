import { type Stats, statSync } from "node:fs";
import { StartError } from "../lib/start-error.ts";

/** Mode bits of stat(2) that tell who may make, rename and remove the files of a folder. */
const STICKY = 0o1000;
const GROUP_OR_OTHERS_WRITE = 0o022;

const ROOT = 0;

/**
 * Whether others may replace a file in a folder under the feet of the user who serves it. They may where the
 * group or everybody may write to the folder, unless its sticky bit lets each of them touch only files of
 * their own, as in /tmp.
 *
 * Two owners are taken to know what they allow: this user and root. A folder of root's that everybody may
 * write to is how container platforms hand out volumes. To root itself no folder is refused: in a container
 * the numbers of users mean nothing outside it, and volumes often belong to another one. Links that would
 * lead root elsewhere are not followed in any case, see lock.ts. The owner of a folder may always replace what
 * is in it, and so may the owner of a folder above it; both are trusted.
 * @param folder what stat(2) tells of it
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
 * Why a database or a copy of one is not safe in a folder.
 * @returns null when it is, and on systems without such users
 * @throws what the file system reports
 */
export function sharedFolderFault(folder: string): string | null {
	const user = process.geteuid?.();
	if (user === undefined || !mayOthersReplace(statSync(folder), user)) {
		return null;
	}
	return `others may replace the files of folder ${folder}, which belongs to another user: make it this user's own (chown), or take the right to write from group and others (chmod go-w)`;
}

/** @throws StartError when others may replace the files of a folder, or what the file system reports */
export function requireOwnFolder(folder: string): void {
	const fault = sharedFolderFault(folder);
	if (fault !== null) throw new StartError(fault, 1);
}
