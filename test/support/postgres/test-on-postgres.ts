import { test } from "bun:test";
import { installations } from "./installations.ts";

const NOT_INSTALLED = "PostgreSQL is not installed";

/**
 * A test that starts PostgreSQL. Where it is not installed, the test is skipped and says so; in CI (`CI=true`) it
 * fails, so that it cannot go unnoticed there.
 * @param timeoutMs how long it may take
 */
export function testOnPostgres(
	name: string,
	body: () => Promise<void>,
	timeoutMs = 60_000,
): void {
	if (installations.length > 0) {
		test(name, body, timeoutMs);
	} else if (process.env.CI === "true") {
		test(name, () => {
			throw new Error(`${NOT_INSTALLED}; .ci/run installs what it can`);
		});
	} else {
		test.skip(`${name} (${NOT_INSTALLED})`, () => {});
	}
}
