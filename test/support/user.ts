import { chownSync, statSync } from "node:fs";
import { toolPath } from "./tools.ts";

const NOBODY = 65_534;

/** Whether the tests run as root. File permissions do not apply to root. */
export const isRoot = process.geteuid?.() === 0;

/**
 * Returns a command prefix that runs a program as an unprivileged user, and makes this user the owner of the
 * given files.
 */
export function asUser(...paths: string[]): readonly string[] {
	if (!isRoot) return [];
	for (const path of paths) chownSync(path, NOBODY, NOBODY);
	const setpriv = toolPath("setpriv");
	if (setpriv === null) throw new Error("setpriv is not installed");
	return [setpriv, `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];
}

/** Returns the permissions of a file: the last nine bits of its mode. */
export function permissionsOf(path: string): number {
	return statSync(path).mode & 0o777;
}

const unshare = toolPath("unshare") ?? "unshare";

/** Whether a process can have its own mounts on this machine. This is often not allowed in a container. */
export const canMount =
	Bun.which(unshare) !== null &&
	Bun.spawnSync([unshare, "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).exitCode === 0;

/** Returns a command prefix that gives a program its own mounts, which the shell script creates. */
export function mounting(script: string): readonly string[] {
	const run = `export PATH=/usr/sbin:/usr/bin:/sbin:/bin; ${script} && exec "$0" "$@"`;
	return [unshare, "-rm", "/bin/sh", "-c", run];
}
