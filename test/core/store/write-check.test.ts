import { expect, test } from "bun:test";
import { runSync } from "../../../src/core/store/task.ts";
import { WriteCheck } from "../../../src/core/store/write-check.ts";
import { until } from "../../support/until.ts";
import { useStore } from "./use-store.ts";

const { store } = useStore();

test("after a change has failed, WriteCheck tries a write at most once a second until one succeeds", async () => {
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

test("the row that WriteCheck writes is large even after compression", async () => {
	const sizes: number[] = [];
	function* run(parameters: readonly unknown[]) {
		sizes.push(Bun.deflateSync(Buffer.from(parameters.join())).length);
	}
	const check = new WriteCheck({
		prepare: (text) => ({ ...store.prepare(text), run }),
		write: async (task) => runSync(task()),
	});
	check.fail();
	expect(await check.passes()).toBe(true);
	expect(Math.max(...sizes)).toBeGreaterThan(40_000);
});
