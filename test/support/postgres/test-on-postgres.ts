import { test } from "bun:test";
import { type Installation, installations } from "./installations.ts";

const NOT_INSTALLED = "PostgreSQL is not installed";

/** For a test that is about the service alone, whichever version of PostgreSQL is behind it. */
export const ANY_VERSION = installations.slice(0, 1);

/**
 * A test that starts PostgreSQL, once for each version that is installed. Where none is, it is skipped and
 * says so; in CI (`CI=true`) it fails, so that it cannot go unnoticed there.
 * @param body takes the major version
 * @param timeoutMs how long it may take
 * @param on the installations that it runs on; see {@link ANY_VERSION}
 */
export function testOnPostgres(
	name: string,
	body: (version: number) => Promise<void>,
	timeoutMs = 60_000,
	on: readonly Installation[] = installations,
): void {
	for (const { version } of on) {
		test(`PostgreSQL ${version}: ${name}`, () => body(version), timeoutMs);
	}
	if (installations.length > 0) return;
	if (process.env.CI === "true") {
		test(name, () => {
			throw new Error(`${NOT_INSTALLED}; .ci/run installs what it can`);
		});
		return;
	}
	test.skip(`${name} (${NOT_INSTALLED})`, () => {});
}
