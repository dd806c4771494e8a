import { toolPath } from "./tools.ts";

const unshare = toolPath("unshare") ?? "unshare";

/** Whether a program can be given file systems of its own here; in a container it often cannot. */
export const canMount =
	Bun.which(unshare) !== null &&
	Bun.spawnSync([unshare, "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).exitCode === 0;

/** Returns a command prefix that gives a program its own mounts. */
export function mounting(script: string): readonly string[] {
	const run = `export PATH=/usr/sbin:/usr/bin:/sbin:/bin; ${script} && exec "$0" "$@"`;
	return [unshare, "-rm", "/bin/sh", "-c", run];
}
