import { expect, test } from "bun:test";
import type { Task } from "../../../src/core/store/task.ts";
import { currentDeadline, withDeadline } from "../../../src/features/postgres/deadline.ts";
import { testPostgres } from "../../support/requirements.ts";
import { TestResort } from "../../support/resort.ts";

test.skipIf(testPostgres.isMissing)(
	`withoutDeadline runs long work of a request without the deadline of the request${testPostgres.note}`,
	async () => {
		await using context = new TestResort();
		const { store } = context.context;
		const sleep = store.prepare("select cast(pg_sleep(0.8) as text) as slept");
		function* ask(): Task<void> {
			yield* sleep.get([], () => null);
		}
		// Each statement takes less time than a request may wait, all together take more.
		const work = async () => {
			for (let at = 0; at < 2; at++) {
				await store.read(ask);
				await store.write(ask);
			}
			return "done";
		};
		expect(await store.withDeadline(() => store.withoutDeadline(work))).toBe("done");
		await expect(store.withDeadline(work)).rejects.toThrow("Storage unavailable");
	},
	20_000,
);

test("work that outlives its request has no deadline", async () => {
	expect(currentDeadline()).toBeNull();
	const ended = Promise.withResolvers<void>();
	const { work, deadline } = await withDeadline(() => ({
		deadline: currentDeadline(),
		work: ended.promise.then(currentDeadline),
	}));
	expect(deadline).toMatchObject({ isExceeded: false, isOver: true });
	ended.resolve();
	expect(await work).toBeNull();
});
