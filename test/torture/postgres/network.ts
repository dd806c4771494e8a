import { pickOne } from "../../../src/lib/random.ts";
import { startCluster } from "../../support/postgres/cluster.ts";
import { createDatabase } from "../../support/postgres/databases.ts";
import { startProxy, type TestProxy } from "../../support/postgres/proxy.ts";
import { INSTANCES, type Scene } from "./scene.ts";

/** The longest time between two instances' faults. */
const MAX_APART_MS = 500;

/** What a network does, with a number below 1 to vary it. */
const faults: readonly ((proxy: TestProxy, chance: number) => void)[] = [
	(proxy) => proxy.cut(),
	(proxy) => proxy.blackhole(),
	(proxy) => proxy.closeAtOnce(),
	(proxy, chance) => proxy.delay(10 + 40 * chance),
	(proxy, chance) => proxy.delay(50 + 450 * chance),
];

/** Each instance has a way of its own to the database. */
export const network: Scene = {
	name: "network",
	about: "the network to the database is cut, silent, or slow",
	async open({ version }) {
		const cluster = await startCluster(
			version === undefined ? {} : { version },
		);
		const database = await createDatabase(cluster.url);
		const proxies = await Promise.all(
			Array.from({ length: INSTANCES }, () => startProxy(cluster.port)),
		);
		return {
			plans: proxies.map((proxy) => ({ database: proxy.url(database) })),
			database,
			async strike(_, random) {
				const fault = pickOne(random, faults);
				const isForAll = random.below(2) === 0;
				const one = random.below(INSTANCES);
				const struck = proxies.filter((_, at) => isForAll || at === one);
				for (const proxy of struck) {
					await Bun.sleep(random.below(MAX_APART_MS));
					fault(proxy, random.below(1_000) / 1_000);
				}
				await Bun.sleep(500 + random.below(6_000));
				for (const proxy of struck) proxy.heal();
			},
			async [Symbol.asyncDispose]() {
				for (const proxy of proxies) proxy.stop();
				await cluster.stop();
			},
		};
	},
};
