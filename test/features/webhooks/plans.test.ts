import { describe, expect, test } from "bun:test";
import type { Store } from "../../../src/core/store/store.ts";
import * as queries from "../../../src/features/webhooks/queries.ts";
import { testSqlite } from "../../support/requirements.ts";
import { TestResort } from "../../support/resort.ts";
import { notePrepared, planOf } from "../../support/store.ts";

const ofAll = ["activeWebhooks", "countActive"];

const prepared = Object.entries(queries).flatMap(([name, ask]): [string, (store: Store) => unknown][] =>
	typeof ask === "function" ? [[name, ask]] : [],
);

describe.skipIf(testSqlite.isMissing)(`queries on webhooks${testSqlite.note}`, () => {
	test.each(prepared)("%s uses an index", async (name, ask) => {
		await using context = new TestResort();
		const statements = notePrepared(context.sqlite);
		ask(context.context.store);
		const [query = "", ...more] = [...statements];
		expect(more).toEqual([]);
		const plan = planOf(context.sqlite, query);
		expect(plan.filter((step) => /ORDER BY/.test(step))).toEqual([]);
		const scans = plan.filter((step) => step.startsWith("SCAN "));
		if (ofAll.includes(name)) {
			expect(scans).toEqual([
				expect.stringMatching(/^SCAN webhooks USING (COVERING )?INDEX webhooks_active$/),
			]);
		} else if (name === "oldestWaiting") {
			expect(scans.join()).toContain("INDEX webhook_deliveries_oldest");
		} else expect(scans).toEqual([]);
	});
});
