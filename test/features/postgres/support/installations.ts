import { existsSync } from "node:fs";
import { join } from "node:path";

/** The programs of one major version of PostgreSQL. */
export interface Installation {
	readonly version: number;
	/** The folder that contains `initdb` and `postgres`. Other programs, such as `psql`, may be missing. */
	readonly bin: string;
}

/** The versions that the resort supports. Debian's packages use them as names of folders. */
const VERSIONS = [18, 17, 16, 15];
const DEBIAN = "/usr/lib/postgresql";

/** The installed versions, newest first. Nearly all tests use the newest one. */
export const installations: readonly Installation[] = VERSIONS.map((version) => ({
	version,
	bin: join(DEBIAN, `${version}`, "bin"),
})).filter(({ bin }) => existsSync(join(bin, "postgres")));

/** Returns the folder of the programs of the newest version. */
export function newestBin(): string {
	const [newest] = installations;
	if (newest === undefined) throw new Error("PostgreSQL is not installed");
	return newest.bin;
}
