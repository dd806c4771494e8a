import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { toolPath } from "../../../support/tools.ts";
import { asUser, isRoot } from "../../../support/user.ts";
import { type ClusterOptions, startIn } from "./cluster.ts";
import { Home } from "./home.ts";

/** The size of the disk. A new cluster has 40 to 60 MB, a database 8 MB, a write-ahead log file 16 MiB. */
const DISK_MIB = 160;

/** The bytes in each of the writes that fill the disk: one page, so that the last free page is used as well. */
const PAGE_BYTES = 4_096;

/** Mounts the disk in the mount namespace of guard.sh, so that other programs do not see it. */
const mountScript = `mount -t tmpfs -o size=${DISK_MIB}m none "$2/primary" && exec "$0" "$1" "$2"`;

/** The reason why this machine cannot mount a small disk; undefined if it can. */
export const noSmallDisk: string | undefined = reasonAgainst();

/**
 * Starts a cluster on a small disk, a tmpfs that is deleted with the cluster. Requires that
 * {@link noSmallDisk} is undefined.
 */
export async function startOnSmallDisk(options: ClusterOptions = {}) {
	const home = await Home.open((folder) => {
		mkdirSync(join(folder, "primary"));
		return ["unshare", "-m", "/bin/sh", "-c", mountScript];
	});
	asUser(home.path("primary"));
	const cluster = await startIn(home, options);
	const filler = home.path("primary/filler");
	return Object.assign(cluster, {
		/** Fills the disk. The server may free some space later, so tests may have to call this repeatedly. */
		fillDisk: () => fill(filler),
		emptyDisk: () => rmSync(filler, { force: true }),
	});
}

function fill(path: string): void {
	const page = Buffer.alloc(PAGE_BYTES);
	const file = openSync(path, "a");
	try {
		for (;;) writeSync(file, page);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
	} finally {
		closeSync(file);
	}
}

function reasonAgainst(): string | undefined {
	if (!isRoot) return "not root";
	const unshare = toolPath("unshare");
	if (unshare === null) return "unshare is not installed";
	const trial = [unshare, "-m", "mount", "-t", "tmpfs", "none", "/mnt"];
	const { exitCode } = Bun.spawnSync(trial, { stderr: "ignore" });
	return exitCode === 0 ? undefined : "not allowed to mount";
}
