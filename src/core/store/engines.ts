import { postgres } from "../../features/postgres/postgres-engine.ts";
import type { Engine } from "./engine.ts";
import { sqlite } from "./sqlite/sqlite-engine.ts";

/** All engines. */
export const engines: readonly Engine[] = [sqlite, postgres];

/**
 * Returns the engine for a value of `--database`, which may be invalid. The engine is SQLite unless another
 * engine recognizes the value.
 */
export function engineOf(database: string): Engine {
	return engines.find((engine) => engine.isNamedBy(database)) ?? sqlite;
}
