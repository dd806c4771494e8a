import { expect } from "bun:test";
import { until } from "../../support/until.ts";
import { CONNECTIONS, openPostgres } from "./support/lazy-store.ts";
import { startProxy } from "./support/proxy.ts";
import { newDatabase, portOf } from "./support/shared.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

testOnPostgres("the store refuses calls immediately during an outage, and reconnects after it", async () => {
	const url = await newDatabase({ withTables: true });
	await using proxy = await startProxy(portOf(url));
	const store = await openPostgres(proxy.url(url));
	const outages: boolean[] = [];
	store.onOutage(({ isOver }) => outages.push(isOver));
	proxy.blackhole();
	await until(async () => !(await store.isHealthy()));
	await until(() => outages.length > 0);
	const startMs = performance.now();
	for (let calls = 0; calls < 20; calls++) {
		expect(await store.isHealthy()).toBe(false);
	}
	expect(performance.now() - startMs).toBeLessThan(1_000);
	proxy.heal();
	await until(() => store.isHealthy());
	await until(() => outages.length === 2);
	expect(outages).toEqual([false, true]);
	await store.close();
});

testOnPostgres(
	"the store releases the connection of a change that throws before its first statement",
	async () => {
		const store = await openPostgres(await newDatabase({ withTables: true }));
		for (let calls = 0; calls < CONNECTIONS; calls++) {
			const change = store.write(() => {
				throw new Error("before the first statement");
			});
			await expect(change).rejects.toThrow("before the first statement");
		}
		expect(await store.write(() => store.lock("a"))).toBeUndefined();
		await store.close();
	},
);

testOnPostgres(
	"the store closes all idle connections once the server does not respond on one of them",
	async () => {
		const url = await newDatabase({ withTables: true });
		await using proxy = await startProxy(portOf(url));
		const both = url.replace(`:${portOf(url)}`, `:${proxy.port},127.0.0.1:${portOf(url)}`);
		const store = await openPostgres(both, 16);
		let commits = 0;
		const commit = () =>
			store.write(function* () {
				yield* store.prepare("insert into nonces (nonce, expires_at) values (?, 0)").run([`${commits++}`]);
			});
		// Uses every connection that writes.
		await Promise.all(Array.from({ length: 8 }, commit));
		proxy.blackhole();
		const startMs = performance.now();
		const passedMs = () => performance.now() - startMs;
		let lastFailureMs = 0;
		const callers = Array.from({ length: 3 }, async () => {
			while (passedMs() < 4_500) {
				await commit().catch(() => {
					lastFailureMs = passedMs();
				});
				await Bun.sleep(5);
			}
		});
		await Promise.all(callers);
		// A second period without a response would end after 3.6 seconds.
		expect(lastFailureMs).toBeGreaterThan(1_000);
		expect(lastFailureMs).toBeLessThan(3_400);
		await store.close();
	},
);
