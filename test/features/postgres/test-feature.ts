import type { TestFeature } from "../../support/test-feature.ts";
import { dropDatabase } from "./support/databases.ts";
import { openLazily } from "./support/lazy-store.ts";
import { newDatabase } from "./support/shared.ts";

/** Lets the resorts of tests use PostgreSQL. */
export const postgres: TestFeature = {
	databases: { create: () => newDatabase({ withTables: true }), open: openLazily, drop: dropDatabase },
};
