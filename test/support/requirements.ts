import { describe } from "bun:test";
import { onPostgres } from "./engine.ts";
import { canMount, isRoot } from "./user.ts";

/** A condition of some tests: `test.skipIf(root.isMissing)(`name${root.note}`, …)`. */
export interface Requirement {
	readonly isMissing: boolean;
	/** Ends the name of a test that is skipped: what is missing, and how to get it. Empty when nothing is. */
	readonly note: string;
}

function requirement(isMet: boolean, text: string): Requirement {
	return { isMissing: !isMet, note: isMet ? "" : ` (${text})` };
}

/** A PostgreSQL server on which the resorts of tests work. */
export const testPostgres = requirement(
	onPostgres,
	"needs PostgreSQL: set RESORT_TEST_POSTGRES, see CONTRIBUTING.md",
);

/** Resorts of tests work on SQLite. */
export const testSqlite = requirement(!onPostgres, "needs SQLite: unset RESORT_TEST_POSTGRES");

/** The limits and descriptors of Linux. */
export const linux = requirement(process.platform === "linux", "needs Linux: run the tests in a container");

/** The right to give files to other users. */
export const root = requirement(isRoot, "needs root: run the tests as root in a container");

/** The right to mount a file system. */
export const mounts = requirement(
	canMount,
	"needs the right to mount: install util-linux, and run the tests as root or allow user namespaces",
);

/** A group of tests that need {@link testPostgres}. */
export function describeOnPostgres(name: string, body: () => void): void {
	describe.skipIf(testPostgres.isMissing)(`${name}${testPostgres.note}`, body);
}
