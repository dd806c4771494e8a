import { SECOND_MS } from "../../core/lib/clock.ts";
import { type Metric, metric } from "../../core/lib/metric.ts";
import { mapValues, recordOf } from "../../core/lib/record.ts";
import { ResortError } from "../../core/lib/resort-error.ts";
import type { Space } from "../../core/store/space.ts";
import {
	type Store,
	type StoreEvent,
	type StoreStatistics,
	storageUnavailable,
} from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { WriteCheck } from "../../core/store/write-check.ts";
import { ConnectionPool, type Pools } from "./connection-pool.ts";
import type { Address } from "./credentials.ts";
import { withoutPassword } from "./database-url.ts";
import { currentDeadline, withDeadline, withoutDeadline } from "./deadline.ts";
import { cannotUse, PostgresFailure, toResortError } from "./postgres-failure.ts";
import { type Migration, migrate, readVersion } from "./postgres-migrations.ts";
import { openSession, type PostgresSession } from "./postgres-session.ts";
import { Servers } from "./servers.ts";
import { createSharedWindow, type RunStatement } from "./shared-window.ts";
import { eventWatermarks, lock, prepare, publish, restartEventIds, runPending } from "./statements.ts";
import { Transactions } from "./transactions.ts";
import { Versions } from "./versions.ts";

/** The server's names for the state of a standby, and `unknown` if this user is not allowed to see it. */
const syncStates = ["sync", "quorum", "potential", "async", "unknown"] as const;

const STANDBYS =
	"select coalesce(sync_state, 'unknown') as state, count(*) as standbys from pg_stat_replication where coalesce(state, 'streaming') <> 'backup' group by 1";

/** A store on PostgreSQL, which several instances can serve. See docs/architecture.md, "Store and tasks". */
export class PostgresStore implements Store {
	readonly path: string;
	readonly isShared = true;
	readonly prepare = prepare;
	readonly publish = publish;
	readonly eventWatermarks = eventWatermarks;
	readonly restartEventIds = restartEventIds;
	readonly lock = lock;
	readonly withDeadline = <T>(request: () => T | Promise<T>): Promise<T> =>
		withDeadline(request, this.#versions.waitedMs);
	readonly withoutDeadline = withoutDeadline;
	readonly createWindow = (name: string, windowMs: number) => createSharedWindow(this.query, name, windowMs);
	readonly #pools: Pools;
	readonly #transactions: Transactions;
	readonly #versions = new Versions();
	readonly #writes = new WriteCheck(this);
	readonly #pending = new Set<Promise<unknown>>();

	private constructor(address: Address, connections: number, isAdministration: boolean) {
		this.path = withoutPassword(address);
		const servers = new Servers(address);
		const openPool = (max: number, onConnect: (session: PostgresSession) => Promise<void>) =>
			new ConnectionPool(servers, max, onConnect);
		const writers = Math.floor(connections / 2);
		this.#pools = {
			write: openPool(writers, (session) => session.markServing()),
			read: openPool(connections - writers - 1, async () => {}),
			look: openPool(1, async () => this.#versions.reset()),
		};
		servers.onSilence = () => {
			for (const pool of Object.values(this.#pools)) pool.dropIdle();
		};
		this.#transactions = new Transactions(
			this.#pools,
			Math.max(1, Math.floor(writers / 4)),
			this.#versions,
			isAdministration,
		);
	}

	/**
	 * Opens a database, and migrates it to the newest schema. An administrative command creates no schema.
	 * @param connections the maximum number of connections that this instance opens, at least 4
	 * @throws StartError if the server refuses the connection or does not respond, or the database has a newer
	 * schema, was not created by a resort, or is empty and only administered
	 */
	static async open(
		address: Address,
		connections: number,
		isAdministration = false,
	): Promise<{ store: PostgresStore; migration: Migration | null }> {
		const store = new PostgresStore(address, connections, isAdministration);
		try {
			const migration = await migrateAt(address, isAdministration);
			await Promise.all(Object.values(store.#pools).map((pool) => pool.start()));
			await store.checkFreshness();
			return { store, migration };
		} catch (error) {
			await store.close();
			throw cannotUse(store.path, error);
		}
	}

	get statistics(): StoreStatistics {
		const { commits, committedChanges } = this.#transactions;
		return { pending: this.#pending.size, commits, committedChanges };
	}

	subscribe(listener: (event: StoreEvent) => void): void {
		this.#versions.subscribe(listener);
	}

	get fault(): string | null {
		const failures = Object.values(this.#pools).map(({ failure }) => failure);
		return failures.find((failure) => failure !== null)?.message ?? null;
	}

	/** Does nothing, because the files belong to the database server. See docs/admin.md. */
	async scrub(): Promise<void> {}

	read<T>(task: () => Task<T>): T | Promise<T> {
		const first = task().next();
		// A task that finds everything in caches needs no connection. Any other task begins again on one.
		if (first.done) return first.value;
		return this.#onReader(async (session) => {
			const steps = task();
			let step = steps.next();
			while (!step.done) step = steps.next(await runPending(step.value, session));
			return step.value;
		});
	}

	async write<T>(task: () => Task<T>): Promise<T> {
		this.#requireSchema();
		const change = this.#transactions.run(task);
		this.#pending.add(change);
		try {
			return await change;
		} catch (error) {
			if (!(error instanceof ResortError) || error.code === "unavailable") this.#writes.fail();
			throw error;
		} finally {
			this.#pending.delete(change);
		}
	}

	/** Same as {@link write}: on PostgreSQL, other instances never see a change before it is committed. */
	writeUnsynced<T>(task: () => Task<T>): Promise<T> {
		return this.write(task);
	}

	checkFreshness(): Promise<void> {
		return this.#versions.check(this.#pools.look);
	}

	/**
	 * Runs one statement in PostgreSQL's SQL, with parameters `$1` and so on.
	 * @throws ResortError `unavailable`; PostgresFailure
	 */
	readonly query: RunStatement = (...statement) => this.#onReader((session) => session.run(...statement));

	async measureSpace(): Promise<Space> {
		const [row] = await this.query("select pg_database_size(current_database()) as bytes", []);
		return { usedBytes: row?.bytes as number, fileSystem: null };
	}

	async isHealthy(): Promise<boolean> {
		try {
			await this.query("select 1 from heads where slot = 0", []);
			return await this.#writes.passes();
		} catch {
			return false;
		}
	}

	async close(): Promise<void> {
		await Promise.allSettled(this.#pending);
		await Promise.all(Object.values(this.#pools).map((pool) => pool.close()));
	}

	get metrics(): Metric[] {
		const { write } = this.#pools;
		const versions = this.#versions;
		const ofPools = (name: "open" | "used") => () =>
			mapValues(this.#pools, ({ statistics }) => statistics[name]);
		const all: [name: string, help: string, read: Metric["read"], label?: string][] = [
			["up", "1 while the database can be reached, else 0.", () => (this.fault === null ? 1 : 0)],
			[
				"retries_total",
				"Changes retried after a conflict, a lost connection or a failure of their group.",
				() => this.#transactions.retries,
			],
			["looks_total", "Checks for changes by other instances.", () => versions.checks],
			[
				"look_failures_total",
				"Checks that failed or took too long, after which every cache was dropped.",
				() => versions.failures,
			],
			[
				"look_seconds_total",
				"Time spent checking for changes by other instances.",
				() => versions.checkingMs / SECOND_MS,
			],
			["connections", "Open connections, by purpose.", ofPools("open"), "pool"],
			["connections_used", "Busy connections, by purpose.", ofPools("used"), "pool"],
			["connection_waiters", "Changes that wait for a connection.", () => write.statistics.waiting],
			["connection_waits_total", "Changes that had to wait for a connection.", () => write.waits],
			[
				"standbys",
				"Standbys that are connected to the server, by their synchronization state.",
				() => this.#countStandbys(),
				"sync_state",
			],
		];
		return all.map(([name, ...more]) => metric(`resort_database_${name}`, ...more));
	}

	async #countStandbys(): Promise<Record<string, number>> {
		const rows = await this.query(STANDBYS, []);
		const counts = new Map(rows.map(({ state, standbys }) => [state, standbys as number]));
		return recordOf(syncStates, (state) => counts.get(state) ?? 0);
	}

	/**
	 * Runs read-only work within the deadline of the request, and repeats it once if the connection is lost.
	 * @throws ResortError `unavailable`; errors of the work
	 */
	async #onReader<T>(work: (session: PostgresSession) => Promise<T>): Promise<T> {
		this.#requireSchema();
		const result = this.#pools.read.use(work).catch((error) => {
			if (error instanceof PostgresFailure && error.isConnectionLost) {
				return this.#pools.read.use(work);
			}
			throw error;
		});
		try {
			return await (currentDeadline()?.limit(result) ?? result);
		} catch (error) {
			throw toResortError(error);
		}
	}

	#requireSchema(): void {
		if (!this.#versions.isOutdated) return;
		const reason = "A newer version of the resort has migrated the database";
		throw storageUnavailable(new Error(reason), `${reason}: its host must update this instance.`);
	}
}

/** Migrates a database if its schema is old. Waits as long as a program, such as a copy, locks the tables. */
async function migrateAt(address: Address, isAdministration: boolean): Promise<Migration | null> {
	await using session = await openSession(address, false);
	const run = (text: string) => session.runScript(text);
	if (isAdministration && (await readVersion(run)) === 0) {
		throw new PostgresFailure("it is empty; start resort serve with it first, or set another --database");
	}
	const migration = await migrate(run);
	return migration === null || migration.from === 0 ? null : migration;
}
