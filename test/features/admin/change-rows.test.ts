import { describe, expect, test } from "bun:test";
import { changeRows, ROWS_PER_CHANGE } from "../../../src/features/admin/change-rows.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const context = useResort();
const ada = useGuest(context, { name: "Ada" });

/** Changes rows. Returns, for each transaction, the times at which it changed rows. */
async function changesOf(rows: number, eachMs = 0) {
	const { store } = context.context;
	const transactions: number[][] = [];
	const numbers = Array.from({ length: rows }, (_, at) => at);
	let before = -1;
	const changed: number[] = [];
	await changeRows(store, ada.id, numbers, function* (row) {
		const { commits } = store.statistics;
		if (commits !== before) transactions.push([]);
		before = commits;
		Bun.sleepSync(eachMs);
		transactions.at(-1)?.push(performance.now());
		changed.push(row);
	});
	expect(changed).toEqual(numbers);
	return transactions;
}

describe("changeRows", () => {
	test("changes only a limited number of rows in one transaction", async () => {
		const sizes = (await changesOf(2 * ROWS_PER_CHANGE + 1)).map(({ length }) => length);
		// On a busy machine, a transaction may reach its time limit with fewer rows.
		expect(Math.max(...sizes)).toBeLessThanOrEqual(ROWS_PER_CHANGE);
		expect(sizes.length).toBeGreaterThanOrEqual(3);
	});

	test("changes each row in its own transaction if a row takes long, and pauses between transactions", async () => {
		const transactions = await changesOf(3, 15);
		expect(transactions.map(({ length }) => length)).toEqual([1, 1, 1]);
		const [first = 0, second = 0] = transactions.flat();
		// Between the two times are a pause of about 10 ms, and the second change, which takes 15 ms.
		expect(second - first).toBeGreaterThan(15 + 8);
	});
});
