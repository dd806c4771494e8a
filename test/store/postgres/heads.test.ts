import { expect } from "bun:test";
import { SQL } from "bun";
import { readAddress } from "../../../src/store/postgres/address.ts";
import { PostgresStore } from "../../../src/store/postgres/store.ts";
import { EXTERNAL_CHANGE, type StoreEvent } from "../../../src/store/store.ts";
import { QUICK, startCluster } from "../../support/postgres/cluster.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";
import { until } from "../../support/until.ts";

/** As few as an instance may have: two of them write. */
const CONNECTIONS = 4;

function announce(store: PostgresStore, news: StoreEvent): Promise<void> {
	return store.write(function* () {
		yield* store.publish(news);
	});
}

testOnPostgres(
	"an instance that takes the slots of another one hears what that one told last",
	async (version) => {
		await using cluster = await startCluster({ version, settings: QUICK });
		const address = readAddress(cluster.url, {});
		const { store: one } = await PostgresStore.open(address, CONNECTIONS);
		const { store: other } = await PostgresStore.open(address, CONNECTIONS);
		await using sql = new SQL(cluster.url, { max: 1 });
		const heard: StoreEvent[] = [];
		other.subscribe((news) => heard.push(news));
		await other.checkFreshness();
		heard.length = 0;

		const ended = { type: "credential.ended", agentId: "ada" };
		await announce(one, ended);
		await one.close();
		// The other one's connections that write are lost; the free slots with the lowest numbers are those of the first.
		await until(async () => {
			const lost =
				await sql`select pg_terminate_backend(pid) from pg_stat_activity
				where application_name = 'agent-resort' and query like '%heads (slot%'`;
			return lost.length === 2;
		});
		await until(() =>
			announce(other, { type: "agent.seen", agentId: "bob" }).then(
				() => true,
				() => false,
			),
		);
		await Promise.all(
			[1, 2].map(() => announce(other, { type: "agent.seen", agentId: "bob" })),
		);
		await other.checkFreshness();
		expect(
			heard.some(
				({ type, agentId }) =>
					type === EXTERNAL_CHANGE.type ||
					(type === ended.type && agentId === ended.agentId),
			),
		).toBe(true);
		await other.close();
	},
);
