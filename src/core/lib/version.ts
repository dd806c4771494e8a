import { name, version } from "../../../package.json";

/** The fixed identifier of the service. */
export const SERVICE = name;

/** The version of the program (semantic versioning). */
export const VERSION = version;

/** The commit, which `scripts/compile.ts` inserts into the executable; undefined in the sources. */
declare const BUILD_COMMIT: string | undefined;

/**
 * The first digits of the commit of the build, and `-dirty` for changed files; null without a git checkout.
 */
export const COMMIT = typeof BUILD_COMMIT === "string" && BUILD_COMMIT !== "" ? BUILD_COMMIT : null;

/** The version with the commit as build metadata (semantic versioning, 10). */
export const BUILD = COMMIT === null ? VERSION : `${VERSION}+${COMMIT}`;
