import { expect, test } from "bun:test";
import { WriteCheck } from "../../../src/core/store/write-check.ts";
import { until } from "../../support/until.ts";
import { useStore } from "./use-store.ts";

const { store } = useStore();

test("writes nothing before a change fails, and at most once a second until a write succeeds", async () => {
	let writes = 0;
	const check = new WriteCheck({
		prepare: (text) => store.prepare(text),
		write(task) {
			writes++;
			return store.write(task);
		},
	});
	expect(await check.passes()).toBe(true);
	expect(writes).toBe(0);
	store.sqlite.run("PRAGMA max_page_count = 1");
	check.fail();
	const startedAt = performance.now();
	for (let asked = 0; asked < 20; asked++) {
		expect(await check.passes()).toBe(false);
	}
	expect(writes).toBeLessThanOrEqual(1 + Math.floor((performance.now() - startedAt) / 1_000));
	store.sqlite.run("PRAGMA max_page_count = 1000000");
	await until(() => check.passes());
	const enough = writes;
	expect(await check.passes()).toBe(true);
	expect(writes).toBe(enough);
});

test("writes a row that stays large when the database compresses it", async () => {
	const sizes: number[] = [];
	const check = new WriteCheck({
		prepare(text) {
			const statement = store.prepare(text);
			return {
				...statement,
				run(parameters) {
					const bytes = Buffer.from(parameters.join());
					sizes.push(Bun.deflateSync(bytes).length);
					return statement.run(parameters);
				},
			};
		},
		write: (task) => store.write(task),
	});
	check.fail();
	expect(await check.passes()).toBe(true);
	expect(Math.max(...sizes)).toBeGreaterThan(40_000);
});
