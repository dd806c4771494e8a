import { join } from "node:path";
import { pickOne, type Random } from "../../../src/core/lib/random.ts";
import { type Settings, startCluster } from "../../features/postgres/support/cluster.ts";
import { createDatabase } from "../../features/postgres/support/databases.ts";
import { noSmallDisk, startOnSmallDisk } from "../../features/postgres/support/full-disk.ts";
import { startPair } from "../../features/postgres/support/pair.ts";
import { startProxy, type TestProxy } from "../../features/postgres/support/proxy.ts";
import { buildBefore } from "./before.ts";
import type { Ground, Plan } from "./ground.ts";
import { occupy } from "./occupy.ts";

const INSTANCES = 3;

/** A database, and how to cause a fault of the database, the network or the instances. */
export interface Stage {
	/** How each instance is started. By default, all run the executable, and use `database`. */
	readonly plans?: readonly Plan[];
	/** An address at which the database can be reached after the faults, for the check at the end. */
	readonly database: string;
	/** Causes a fault and repairs it. */
	strike(ground: Ground, random: Random): Promise<void>;
}

/** A kind of fault that instances must survive. */
export interface Scene {
	readonly name: string;
	readonly about: string;
	/** Whether each stage allows only one fault, so that every round opens a new stage. */
	readonly isOnce?: boolean;
	/** Whether the outcome of every write must be known, despite the fault. */
	readonly isSeamless?: boolean;
	/** The reason why this machine cannot cause the fault; undefined if it can. */
	readonly reasonAgainst?: string | undefined;
	/**
	 * @param opened receives the servers and other resources of the stage, to dispose of them at its end
	 * @param before the commit of the previous version
	 */
	open(opened: AsyncDisposableStack, before: string): Promise<Stage>;
}

/** Returns a plan for each instance, all with the same address of the database. */
export function plansFor(database: string, program?: readonly string[]): Plan[] {
	const plan = { database, ...(program && { program }) };
	return Array.from({ length: INSTANCES }, () => plan);
}

/** The command that runs the service from its source, with a clock that is an hour ahead. */
const aheadProgram = [
	process.execPath,
	"--preload",
	join(import.meta.dir, "hour-ahead.ts"),
	join(import.meta.dir, "../../../src/main.ts"),
];

/** Faults of a network. `chance`, a random number below 1, varies the delays. */
const networkFaults: readonly ((proxy: TestProxy, chance: number) => void)[] = [
	(proxy) => proxy.cut(),
	(proxy) => proxy.blackhole(),
	(proxy) => proxy.closeAtOnce(),
	(proxy, chance) => proxy.delay(10 + 40 * chance),
	(proxy, chance) => proxy.delay(50 + 450 * chance),
];

/** All faults. */
export const scenes: readonly Scene[] = [
	{
		name: "instances",
		about: "some instances are killed with SIGKILL, and the others go on",
		open: async (opened) => ({
			...(await onCluster(opened)),
			async strike(ground, random) {
				const first = random.below(ground.size);
				const killed = [...Array(ground.size).keys()].filter((at) => at === first || random.below(3) === 0);
				await Promise.all(killed.map((at) => ground.kill(at)));
				await Bun.sleep(random.below(1_000));
				await Promise.all(killed.map((at) => ground.start(at)));
			},
		}),
	},
	{
		name: "restart",
		about: "the database is killed, or restarted in order",
		async open(opened) {
			const { cluster, database } = await onCluster(opened);
			return {
				database,
				async strike(_, random) {
					if (random.below(3) > 0) {
						await cluster.kill();
						await Bun.sleep(random.below(4_000));
					}
					await cluster.restart();
				},
			};
		},
	},
	{
		name: "failover",
		about: "the primary is killed and its synchronous standby promoted",
		isOnce: true,
		async open(opened) {
			const { primary, standby, promote } = opened.use(await startPair());
			// Connections to a lost machine get no answer, not even a refusal. The proxy can simulate that.
			const proxy = opened.use(await startProxy(primary.port));
			const own = await createDatabase(primary.url);
			const port = `:${primary.port}`;
			const both = `:${proxy.port},127.0.0.1:${standby.port}`;
			return {
				plans: plansFor(own.replace(port, both)),
				database: own.replace(port, `:${standby.port}`),
				async strike(_, random) {
					if (random.below(2) === 0) proxy.blackhole();
					await primary.kill();
					await Bun.sleep(random.below(3_000));
					await promote();
				},
			};
		},
	},
	{
		name: "standby",
		about: "the synchronous standby is away: no commit is answered",
		async open(opened) {
			const { primary, standby } = opened.use(await startPair());
			return {
				database: await createDatabase(primary.url),
				async strike(_, random) {
					await standby.kill();
					await Bun.sleep(2_000 + random.below(8_000));
					await standby.restart();
				},
			};
		},
	},
	{
		name: "network",
		about: "the network to the database is cut, silent, or slow",
		async open(opened) {
			const { cluster, database } = await onCluster(opened);
			// Each instance has its own proxy in front of the database.
			const proxies = await Promise.all(Array.from({ length: INSTANCES }, () => startProxy(cluster.port)));
			for (const proxy of proxies) opened.use(proxy);
			return {
				plans: proxies.map((proxy) => ({ database: proxy.url(database) })),
				database,
				async strike(_, random) {
					const fault = pickOne(random, networkFaults);
					const isForAll = random.below(2) === 0;
					const one = random.below(INSTANCES);
					const struck = proxies.filter((_, at) => isForAll || at === one);
					for (const proxy of struck) {
						await Bun.sleep(random.below(500));
						fault(proxy, random.below(1_000) / 1_000);
					}
					await Bun.sleep(500 + random.below(6_000));
					for (const proxy of struck) proxy.heal();
				},
			};
		},
	},
	{
		name: "connections",
		about: "others take all connections of the server",
		async open(opened) {
			const { database } = await onCluster(opened, { max_connections: "60" });
			return {
				database,
				async strike(_, random) {
					const share = random.below(101) / 100;
					const release = await occupy(database, share);
					await Bun.sleep(1_000 + random.below(3_000));
					await release();
				},
			};
		},
	},
	{
		name: "disk",
		about: "the disk of the database is full",
		reasonAgainst: noSmallDisk,
		async open(opened) {
			const settings = { max_wal_size: "64MB", min_wal_size: "32MB" };
			const cluster = opened.use(await startOnSmallDisk({ settings }));
			return {
				database: await createDatabase(cluster.url),
				async strike(_, random) {
					const endMs = performance.now() + 1_000 + random.below(4_000);
					while (performance.now() < endMs) {
						cluster.fillDisk();
						await Bun.sleep(20);
					}
					cluster.emptyDisk();
					if (!cluster.isRunning) await cluster.restart();
				},
			};
		},
	},
	{
		name: "clock",
		about: "the clock of one instance is an hour ahead",
		async open(opened) {
			const { database } = await onCluster(opened);
			const [, ...others] = plansFor(database);
			return {
				database,
				plans: [{ database, program: aheadProgram }, ...others],
				strike: () => Bun.sleep(3_000),
			};
		},
	},
	{
		name: "exchange",
		about: "instances are exchanged for those of another version, one by one",
		isSeamless: true,
		async open(opened, commit) {
			const old = opened.use(await buildBefore(commit));
			const { database } = await onCluster(opened);
			const before = plansFor(database, [old.executable]);
			let isNew = false;
			return {
				plans: before,
				database,
				async strike(ground) {
					isNew = !isNew;
					const plans = isNew ? plansFor(database) : before;
					for (const [at, plan] of plans.entries()) {
						await ground.end(at);
						await ground.start(at, plan);
						await Bun.sleep(1_000);
					}
				},
			};
		},
	},
];

async function onCluster(opened: AsyncDisposableStack, settings: Settings = {}) {
	const cluster = opened.use(await startCluster({ settings }));
	return { cluster, database: await createDatabase(cluster.url) };
}
