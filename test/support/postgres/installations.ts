import { existsSync } from "node:fs";
import { join } from "node:path";

/** PostgreSQL's programs of one major version. */
export interface Installation {
	/** The major version, as 15. */
	readonly version: number;
	/** The folder with at least `initdb` and `postgres`; others, as `psql`, may be missing. */
	readonly bin: string;
}

/** The versions that a resort runs on, and the folders of Debian's packages. */
const VERSIONS = [18, 17, 16, 15];
const DEBIAN = "/usr/lib/postgresql";

/** The versions that are installed, the newest first. */
export const installations: readonly Installation[] = VERSIONS.map(
	(version) => ({ version, bin: join(DEBIAN, `${version}`, "bin") }),
).filter(({ bin }) => existsSync(join(bin, "postgres")));

/**
 * The programs of a version.
 * @param version the newest of {@link installations} when not given
 * @throws when it is not installed
 */
export function getInstallation(version?: number): Installation {
	const found = installations.find(
		(one) => version === undefined || one.version === version,
	);
	if (found === undefined) {
		throw new Error(`PostgreSQL ${version ?? ""} is not installed`);
	}
	return found;
}
