import { startCluster } from "../../support/postgres/cluster.ts";
import { createDatabase } from "../../support/postgres/databases.ts";
import {
	noSmallDisk,
	startOnSmallDisk,
} from "../../support/postgres/full-disk.ts";
import { type Pair, startPair } from "../../support/postgres/pair.ts";
import { startProxy } from "../../support/postgres/proxy.ts";
import { aheadProgram } from "./ahead.ts";
import { buildBefore } from "./before.ts";
import { network } from "./network.ts";
import { occupy } from "./occupy.ts";
import { plansFor, type Scene, type SceneOptions } from "./scene.ts";

const instances: Scene = {
	name: "instances",
	about: "kill -9 of instances loses nothing, and the others go on",
	async open({ version }) {
		const cluster = await startCluster(versioned(version));
		const database = await createDatabase(cluster.url);
		return {
			plans: plansFor(database),
			database,
			async strike(ground, random) {
				const first = random.below(ground.size);
				const killed = [...Array(ground.size).keys()].filter(
					(at) => at === first || random.below(3) === 0,
				);
				await Promise.all(killed.map((at) => ground.kill(at)));
				await Bun.sleep(random.below(1_000));
				await Promise.all(killed.map((at) => ground.start(at)));
			},
			[Symbol.asyncDispose]: () => cluster.stop(),
		};
	},
};

const restart: Scene = {
	name: "restart",
	about: "the database is killed, or restarted in order",
	async open({ version }) {
		const cluster = await startCluster(versioned(version));
		const database = await createDatabase(cluster.url);
		return {
			plans: plansFor(database),
			database,
			async strike(_, random) {
				if (random.below(3) > 0) {
					await cluster.kill();
					await Bun.sleep(random.below(4_000));
				}
				await cluster.restart();
			},
			[Symbol.asyncDispose]: () => cluster.stop(),
		};
	},
};

const failover: Scene = {
	name: "failover",
	about: "the primary is killed and its synchronous standby promoted",
	isOnce: true,
	async open({ version }) {
		const pair = await startPair(versioned(version));
		// What dies with its machine does not even refuse connections.
		const proxy = await startProxy(pair.primary.port);
		const { url, database } = await databaseOf(pair, proxy.port);
		return {
			plans: plansFor(url),
			database,
			async strike(_, random) {
				if (random.below(2) === 0) proxy.blackhole();
				await pair.killPrimary();
				await Bun.sleep(random.below(3_000));
				await pair.promote();
			},
			async [Symbol.asyncDispose]() {
				proxy.stop();
				await pair.stop();
			},
		};
	},
};

const standby: Scene = {
	name: "standby",
	about: "the synchronous standby is away: no commit is answered",
	async open({ version }) {
		const pair = await startPair(versioned(version));
		const database = await createDatabase(pair.primary.url);
		return {
			plans: plansFor(database),
			database,
			async strike(_, random) {
				await pair.standby.kill();
				await Bun.sleep(2_000 + random.below(8_000));
				await pair.standby.restart();
			},
			[Symbol.asyncDispose]: () => pair.stop(),
		};
	},
};

const connections: Scene = {
	name: "connections",
	about: "others take all connections of the server",
	async open({ version }) {
		const cluster = await startCluster({
			...versioned(version),
			settings: { max_connections: "60" },
		});
		const database = await createDatabase(cluster.url);
		return {
			plans: plansFor(database),
			database,
			async strike(_, random) {
				const release = await occupy(database, random.below(101) / 100);
				await Bun.sleep(1_000 + random.below(3_000));
				await release();
			},
			[Symbol.asyncDispose]: () => cluster.stop(),
		};
	},
};

const disk: Scene = {
	name: "disk",
	about: "the disk of the database is full",
	...(noSmallDisk !== undefined && { reasonAgainst: noSmallDisk }),
	async open({ version }) {
		const cluster = await startOnSmallDisk({
			...versioned(version),
			settings: { max_wal_size: "64MB", min_wal_size: "32MB" },
		});
		const database = await createDatabase(cluster.url);
		return {
			plans: plansFor(database),
			database,
			async strike(_, random) {
				const endMs = performance.now() + 1_000 + random.below(4_000);
				while (performance.now() < endMs) {
					cluster.fillDisk();
					await Bun.sleep(20);
				}
				cluster.emptyDisk();
				if (!cluster.server.isRunning) await cluster.restart();
			},
			[Symbol.asyncDispose]: () => cluster.stop(),
		};
	},
};

const clock: Scene = {
	name: "clock",
	about: "the clock of one instance is an hour ahead",
	async open({ version }) {
		const cluster = await startCluster(versioned(version));
		const database = await createDatabase(cluster.url);
		const [, ...others] = plansFor(database);
		return {
			plans: [{ database, program: aheadProgram }, ...others],
			database,
			strike: () => Bun.sleep(3_000),
			[Symbol.asyncDispose]: () => cluster.stop(),
		};
	},
};

const exchange: Scene = {
	name: "exchange",
	about: "instances are exchanged for those of another version, one by one",
	isSeamless: true,
	async open({ version, before }) {
		const old = await buildBefore(before);
		const cluster = await startCluster(versioned(version));
		const database = await createDatabase(cluster.url);
		const plans = plansFor(database);
		let isNew = false;
		return {
			plans: plans.map((plan) => ({ ...plan, program: [old.executable] })),
			database,
			async strike(ground) {
				isNew = !isNew;
				for (const [at, plan] of plans.entries()) {
					await ground.end(at);
					const program = isNew ? {} : { program: [old.executable] };
					await ground.start(at, { ...plan, ...program });
					await Bun.sleep(1_000);
				}
			},
			async [Symbol.asyncDispose]() {
				await cluster.stop();
				old[Symbol.dispose]();
			},
		};
	},
};

/** All faults. */
export const scenes: readonly Scene[] = [
	instances,
	restart,
	failover,
	standby,
	network,
	connections,
	disk,
	clock,
	exchange,
];

function versioned(version: SceneOptions["version"]): {
	readonly version?: number;
} {
	return version === undefined ? {} : { version };
}

/** A new database of a pair: its address with both hosts, the primary's behind another port, and at the standby. */
async function databaseOf(
	{ primary, standby }: Pair,
	shownPort: number,
): Promise<{ url: string; database: string }> {
	const own = await createDatabase(primary.url);
	const port = `:${primary.port}`;
	return {
		url: own.replace(port, `:${shownPort},127.0.0.1:${standby.port}`),
		database: own.replace(port, `:${standby.port}`),
	};
}
