import type { TestFeature } from "../../support/test-feature.ts";
import { dropDatabase } from "./support/databases.ts";
import { LazyStore, newDatabase } from "./support/lazy-store.ts";

/** Lets the resorts of tests use PostgreSQL. */
export const postgres: TestFeature = {
	databases: { create: newDatabase, open: (url) => new LazyStore(url ?? null), drop: dropDatabase },
};
