import { expect } from "bun:test";
import { SQL } from "bun";
import { StartError } from "../../../src/lib/start-error.ts";
import { readAddress } from "../../../src/store/postgres/address.ts";
import type { Connection } from "../../../src/store/postgres/connection.ts";
import { Connector } from "../../../src/store/postgres/connector.ts";
import { Outages } from "../../../src/store/postgres/outages.ts";
import { Pool } from "../../../src/store/postgres/pool.ts";
import { PostgresStore } from "../../../src/store/postgres/store.ts";
import { startCluster } from "../../support/postgres/cluster.ts";
import { startPair } from "../../support/postgres/pair.ts";
import { startProxy } from "../../support/postgres/proxy.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";
import { until } from "../../support/until.ts";

/** As few as an instance may have. */
const CONNECTIONS = 4;

testOnPostgres("a standby is passed over, or refused", async (version) => {
	await using pair = await startPair({ version });
	const { primary, standby } = pair;
	const both = primary.url.replace(
		`:${primary.port}`,
		`:${standby.port},127.0.0.1:${primary.port}`,
	);
	const { store } = await PostgresStore.open(
		readAddress(both, {}),
		CONNECTIONS,
	);
	await store.write(function* () {
		yield* store
			.prepare("insert into nonces (nonce, expires_at) values ('a', 0)")
			.run([]);
	});
	await store.close();
	const alone = PostgresStore.open(readAddress(standby.url, {}), CONNECTIONS);
	await expect(alone).rejects.toBeInstanceOf(StartError);
});

testOnPostgres(
	"lost connections are opened anew, one attempt at a time while that fails",
	async (version) => {
		await using cluster = await startCluster({ version });
		const connector = new Connector(readAddress(cluster.url, {}));
		let isAway = false;
		let attempts = 0;
		let under = 0;
		let most = 0;
		const open = async (): Promise<Connection> => {
			if (!isAway) return connector.open();
			attempts++;
			most = Math.max(most, ++under);
			await Bun.sleep(5);
			under--;
			throw new Error("away");
		};
		const size = 5;
		const pool = new Pool(size, new Outages(), open, () => {});
		await pool.start();
		await until(() => pool.figures.open === size);
		isAway = true;
		for (let lost = 0; lost < size; lost++) pool.shared().close();
		// The first attempts of all come at once.
		await until(() => attempts >= size && under === 0);
		expect(() => pool.shared()).toThrow();
		expect(() => pool.take(1_000)).toThrow();
		most = 0;
		attempts = 0;
		await until(() => attempts > 2);
		expect(most).toBe(1);
		isAway = false;
		await until(() => pool.figures.open === size);
		pool.close();
	},
);

testOnPostgres(
	"once one connection is silent, the others are not found dead one after the other",
	async (version) => {
		await using cluster = await startCluster({ version });
		await using proxy = await startProxy(cluster.port);
		const both = cluster.url.replace(
			`:${cluster.port}`,
			`:${proxy.port},127.0.0.1:${cluster.port}`,
		);
		const { store } = await PostgresStore.open(readAddress(both, {}), 16);
		let commits = 0;
		const commit = () =>
			store.write(function* () {
				yield* store
					.prepare("insert into nonces (nonce, expires_at) values (?, 0)")
					.run([`${commits++}`]);
			});
		// Each of the connections that write has been used.
		await Promise.all(Array.from({ length: 8 }, commit));
		proxy.blackhole();
		const startMs = performance.now();
		const passedMs = () => performance.now() - startMs;
		let lastFailureMs = 0;
		const callers = Array.from({ length: 3 }, async () => {
			while (passedMs() < 6_000) {
				await commit().catch(() => {
					lastFailureMs = passedMs();
				});
				await Bun.sleep(5);
			}
		});
		await Promise.all(callers);
		// A second time of silence would end after 3.6 seconds.
		expect(lastFailureMs).toBeGreaterThan(1_000);
		expect(lastFailureMs).toBeLessThan(3_400);
		await store.close();
	},
);

testOnPostgres(
	"a connection that gets no slot is closed again",
	async (version) => {
		await using cluster = await startCluster({ version });
		const address = readAddress(cluster.url, {});
		const { store } = await PostgresStore.open(address, CONNECTIONS);
		await using sql = new SQL(cluster.url, { max: 1 });
		const resorts = async () => {
			const [found] =
				await sql`select count(*)::int as n from pg_stat_activity where application_name = 'agent-resort'`;
			return found.n as number;
		};
		await until(async () => (await resorts()) === CONNECTIONS);
		await using locker = new SQL(cluster.url, { max: 1 });
		await locker.unsafe("begin; lock table heads in share mode").simple();
		await sql`select pg_terminate_backend(pid) from pg_stat_activity
			where application_name = 'agent-resort' and query like '%heads (slot%'`;
		let most = 0;
		for (let looks = 0; looks < 40; looks++) {
			await Bun.sleep(100);
			most = Math.max(most, await resorts());
		}
		expect(most).toBeLessThanOrEqual(CONNECTIONS);
		await locker.unsafe("rollback").simple();
		await until(async () => (await resorts()) === CONNECTIONS);
		await store.close();
	},
);
