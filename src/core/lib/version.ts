import { name, version } from "../../../package.json";

/** The fixed identifier of the service. */
export const SERVICE = name;

/** The version of the program (semantic versioning). */
export const VERSION = version;

/** The commit, which `scripts/compile.ts` inserts into the executable; undefined if not compiled. */
declare const BUILD_COMMIT: string | undefined;

/** The abbreviated commit of the build, and `-dirty` if files were changed; null without a git checkout. */
export const COMMIT = typeof BUILD_COMMIT === "string" && BUILD_COMMIT !== "" ? BUILD_COMMIT : null;

/** The version with the commit as build metadata (semver.org, section 10). */
export const BUILD = COMMIT === null ? VERSION : `${VERSION}+${COMMIT}`;
