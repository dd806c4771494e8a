import { testUnless } from "../../../support/tools.ts";
import { installations } from "./installations.ts";

/** Defines a test that starts PostgreSQL. */
export function testOnPostgres(name: string, body: () => Promise<void>, timeoutMs = 60_000): void {
	const missing = installations.length === 0 && "needs PostgreSQL 15 or later: apt-get install postgresql";
	testUnless(missing, name, body, timeoutMs);
}
