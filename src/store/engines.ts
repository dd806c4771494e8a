import type { Engine } from "./engine.ts";
import { postgres } from "./postgres/postgres-engine.ts";
import { sqlite } from "./sqlite/sqlite-engine.ts";

/** All engines. */
export const engines: readonly Engine[] = [sqlite, postgres];

/** The engine that a value of `--database` is meant for, with or without a fault; what names none is a file. */
export function engineOf(database: string): Engine {
	return engines.find((engine) => engine.isNamedBy(database)) ?? sqlite;
}
