import { chownSync, statSync } from "node:fs";
import { toolPath } from "./tools.ts";

const NOBODY = 65_534;

/** Whether the tests run as root, whom no permission stops. */
export const isRoot = process.geteuid?.() === 0;

/** Returns a command prefix that runs a program as an unprivileged user, and gives the paths to this user. */
export function asUser(...paths: string[]): readonly string[] {
	if (!isRoot) return [];
	for (const path of paths) chownSync(path, NOBODY, NOBODY);
	const setpriv = toolPath("setpriv");
	if (setpriv === null) throw new Error("setpriv is not installed");
	return [setpriv, `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];
}

/** Who may do what with a file: the last nine bits of its mode. */
export function permissionsOf(path: string): number {
	return statSync(path).mode & 0o777;
}
