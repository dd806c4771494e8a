import { loadTables } from "../../src/cli/features.ts";

/** All tables. */
export const tables = await loadTables();
