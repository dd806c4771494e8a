import { dropDatabase } from "../../support/postgres/databases.ts";
import { LazyStore, newDatabase } from "../../support/postgres/lazy-store.ts";
import type { TestFeature } from "../../support/test-feature.ts";

declare module "../../support/resort.ts" {
	interface TestResort {
		/** The store of a resort on PostgreSQL, whose server a test can lose. */
		readonly server: LazyStore;
	}
}

/** Resorts on PostgreSQL. */
export const postgres: TestFeature = {
	databases: { create: newDatabase, open: (url) => new LazyStore(url ?? null), drop: dropDatabase },
	members: ({ context: { store } }) => ({
		get server() {
			if (store instanceof LazyStore) return store;
			throw new Error("this test is about PostgreSQL");
		},
	}),
};
