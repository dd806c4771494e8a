import { dropDatabase } from "../../support/postgres/databases.ts";
import { LazyStore, newDatabase } from "../../support/postgres/lazy-store.ts";
import type { TestFeature } from "../../support/test-feature.ts";

/** Resorts on PostgreSQL. */
export const postgres: TestFeature = {
	databases: { create: newDatabase, open: (url) => new LazyStore(url ?? null), drop: dropDatabase },
};
