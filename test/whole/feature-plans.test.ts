import { describe, expect, test } from "bun:test";
import type { Store } from "../../src/core/store/store.ts";
import * as identities from "../../src/features/identity-provider/queries.ts";
import * as webhooks from "../../src/features/webhooks/queries.ts";
import { testSqlite } from "../support/requirements.ts";
import { TestResort } from "../support/resort.ts";
import { notePrepared, planOf } from "../support/store.ts";

/** The necessary scans. Each one reads an index that contains few rows. */
const scansOf: Readonly<Record<string, string>> = {
	activeWebhooks: "SCAN webhooks USING INDEX webhooks_active",
	countActive: "SCAN webhooks USING COVERING INDEX webhooks_active",
	oldestWaiting: "SCAN webhook_deliveries USING INDEX webhook_deliveries_oldest",
};

const prepared = Object.entries({ ...identities, ...webhooks }).flatMap(
	([name, ask]): [string, (store: Store) => unknown][] => (typeof ask === "function" ? [[name, ask]] : []),
);

describe.skipIf(testSqlite.isMissing)(`the queries of identities and webhooks${testSqlite.note}`, () => {
	test.each(prepared)(
		"the plan of the query %s has no sort, and no scan except a necessary one",
		async (name, ask) => {
			await using context = new TestResort();
			const statements = notePrepared(context.sqlite);
			ask(context.context.store);
			const [query = "", ...more] = [...statements];
			expect(more).toEqual([]);
			const plan = planOf(context.sqlite, query);
			expect(plan.filter((step) => /ORDER BY/.test(step))).toEqual([]);
			const scans = plan.filter((step) => step.startsWith("SCAN "));
			expect(scans).toEqual([scansOf[name] ?? []].flat());
			if (name === "deleteOldestNonces") expect(plan.join()).toContain("INDEX nonces_by_expiry");
		},
	);
});
