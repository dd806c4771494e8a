import { existsSync } from "node:fs";
import { join } from "node:path";

/** PostgreSQL's programs of one major version. */
export interface Installation {
	readonly version: number;
	/** The folder with at least `initdb` and `postgres`; others, as `psql`, may be missing. */
	readonly bin: string;
}

/** The versions that a resort runs on, and the folders of Debian's packages. */
const VERSIONS = [18, 17, 16, 15];
const DEBIAN = "/usr/lib/postgresql";

/** The versions that are installed, the newest first: the newest is the one of nearly all tests. */
export const installations: readonly Installation[] = VERSIONS.map((version) => ({
	version,
	bin: join(DEBIAN, `${version}`, "bin"),
})).filter(({ bin }) => existsSync(join(bin, "postgres")));

/** The folder of the newest version's programs. */
export function newestBin(): string {
	const [newest] = installations;
	if (newest === undefined) throw new Error("PostgreSQL is not installed");
	return newest.bin;
}
