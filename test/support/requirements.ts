import { describe, test } from "bun:test";
import { onPostgres } from "./engine.ts";
import { canMount, isRoot } from "./user.ts";

/** A condition that some tests require. */
export interface Requirement {
	readonly isMissing: boolean;
	/**
	 * A suffix for the title of a skipped test: what is missing, and how to get it. Empty if nothing is
	 * missing.
	 */
	readonly note: string;
	/** Defines a test that is skipped if the condition is not met. */
	test(name: string, body: () => Promise<void>): void;
}

function requirement(isMet: boolean, text: string): Requirement {
	const note = isMet ? "" : ` (${text})`;
	return { isMissing: !isMet, note, test: (name, body) => test.skipIf(!isMet)(name + note, body) };
}

/** Requires that the resorts in tests use a PostgreSQL server. */
export const testPostgres = requirement(
	onPostgres,
	"needs PostgreSQL: set RESORT_TEST_POSTGRES, see CONTRIBUTING.md",
);

/** Requires that the resorts in tests use SQLite. */
export const testSqlite = requirement(!onPostgres, "needs SQLite: unset RESORT_TEST_POSTGRES");

/** Requires Linux, whose limits and file descriptors the tests use. */
export const linux = requirement(process.platform === "linux", "needs Linux: run the tests in a container");

/** Requires that the tests may change the owner of files. */
export const root = requirement(isRoot, "needs root: run the tests as root in a container");

/** Requires that the tests may mount file systems. */
export const mounts = requirement(
	canMount,
	"needs the right to mount: install util-linux, and run the tests as root or allow user namespaces",
);

/** Defines a group of tests that require {@link testPostgres}. */
export function describeOnPostgres(name: string, body: () => void): void {
	describe.skipIf(testPostgres.isMissing)(`${name}${testPostgres.note}`, body);
}
