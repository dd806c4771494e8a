import { expect, test } from "bun:test";
import { immediate } from "../../../src/core/store/task.ts";
import { changeRows, ROWS_PER_CHANGE } from "../../../src/features/admin/change-rows.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const context = useResort();
const ada = useGuest(context, { name: "Ada" });

/** Changes rows, and returns for each transaction the times at which it changed its rows. */
async function changesOf(rows: number, eachMs = 0) {
	const { store } = context.context;
	const transactions: number[][] = [];
	const numbers = Array.from({ length: rows }, (_, at) => at);
	let before = -1;
	const results = await changeRows(store, ada.id, numbers, (row) =>
		immediate(() => {
			const { commits } = store.statistics;
			if (commits !== before) transactions.push([]);
			before = commits;
			Bun.sleepSync(eachMs);
			transactions.at(-1)?.push(performance.now());
			return row;
		}),
	);
	expect(results).toEqual(numbers);
	return transactions;
}

test("many rows are changed a bounded number at a time", async () => {
	const sizes = (await changesOf(2 * ROWS_PER_CHANGE + 1)).map(({ length }) => length);
	// On a busy machine, a transaction may reach its time limit with fewer rows.
	expect(Math.max(...sizes)).toBeLessThanOrEqual(ROWS_PER_CHANGE);
	expect(sizes.length).toBeGreaterThanOrEqual(3);
});

test("rows that take long are changed in transactions of their own", async () => {
	const sizes = (await changesOf(4, 15)).map(({ length }) => length);
	expect(sizes).toEqual([1, 1, 1, 1]);
});

test("other processes have time to write between two transactions", async () => {
	const transactions = await changesOf(ROWS_PER_CHANGE + 1);
	for (const [at, changes] of transactions.slice(1).entries()) {
		const pauseMs = (changes[0] ?? 0) - (transactions[at]?.at(-1) ?? 0);
		expect(pauseMs).toBeGreaterThan(8);
	}
});
