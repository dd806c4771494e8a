import { getTableName } from "drizzle-orm";
import { once } from "../../../../src/core/lib/once.ts";
import type { Space } from "../../../../src/core/store/space.ts";
import type { EngineRow, Store, StoreEvent, Value } from "../../../../src/core/store/store.ts";
import type { QueryResult, Task } from "../../../../src/core/store/task.ts";
import { readAddress } from "../../../../src/features/postgres/credentials.ts";
import { withDeadline, withoutDeadline } from "../../../../src/features/postgres/deadline.ts";
import { NotConnected } from "../../../../src/features/postgres/postgres-failure.ts";
import { PostgresStore } from "../../../../src/features/postgres/postgres-store.ts";
import { createSharedWindow } from "../../../../src/features/postgres/shared-window.ts";
import * as statements from "../../../../src/features/postgres/statements.ts";
import { testServer } from "../../../support/engine.ts";
import { tables } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";
import { createDatabase, dropDatabase, setReachable } from "./databases.ts";

/** The minimum for an instance. */
export const CONNECTIONS = 4;

interface Opened {
	readonly url: string;
	readonly store: PostgresStore;
}

/** Deletes all rows without checking foreign keys. */
const EMPTY = `do $$ begin
	set local session_replication_role = replica;
	${[...tables.map(getTableName), "limits"].map((name) => `delete from ${name};`).join("\n\t")}
	perform setval('event_ids', 0);
end $$`;

const free: Opened[] = [];

/** Opens a database, by default with the minimum number of connections. */
export async function openPostgres(url: string, connections = CONNECTIONS): Promise<PostgresStore> {
	const address = readAddress(url, {});
	return (await PostgresStore.open(address, connections)).store;
}

async function open(url: string): Promise<Opened> {
	return { url, store: await openPostgres(url) };
}

/** A migrated database. Copying it is faster than migrating each database. */
const template = once(async () => {
	const url = await createDatabase(testServer ?? "");
	const { store } = await open(url);
	await store.close();
	return url;
});

async function take(): Promise<Opened> {
	return free.pop() ?? open(await newDatabase());
}

/** Creates an empty database with the newest schema, and returns its address. */
export async function newDatabase(): Promise<string> {
	return createDatabase(testServer ?? "", { template: await template() });
}

/**
 * A new database has 8 MB. Deleted rows still occupy space, so a database that has grown is not used again.
 */
const MAX_REUSED_BYTES = 12_000_000;

async function giveBack({ url, store }: Opened): Promise<void> {
	const { usedBytes } = await store.measureSpace();
	if (usedBytes > MAX_REUSED_BYTES) {
		await store.close();
		await dropDatabase(url);
		return;
	}
	await store.query(EMPTY, []);
	free.push({ url, store });
}

function* nothing(): Task<void> {}

/**
 * A store on the test server that opens its database at the first use, so that tests can create resorts
 * synchronously.
 */
export class LazyStore implements Store {
	readonly path = testServer ?? "";
	readonly isShared = true;
	readonly prepare = statements.prepare;
	readonly publish = statements.publish;
	readonly lock = statements.lock;
	readonly eventWatermarks = statements.eventWatermarks;
	readonly restartEventIds = statements.restartEventIds;
	async scrub(): Promise<void> {}
	/**
	 * Opens the database before the deadline starts. On a busy machine, creating a database takes longer than a
	 * request may.
	 */
	readonly withDeadline = async <T>(request: () => T | Promise<T>) => {
		await this.#opened();
		return withDeadline(request);
	};
	readonly withoutDeadline = withoutDeadline;
	readonly createWindow = (name: string, windowMs: number) =>
		createSharedWindow(
			async (text, parameters) => {
				const { store } = await this.#opened();
				return store.query(text, parameters);
			},
			name,
			windowMs,
		);
	readonly #listeners: ((news: StoreEvent) => void)[] = [];
	readonly #url: (() => Promise<string>) | null;
	#database: Opened | null = null;
	/** True if the database must not be used again after this store is closed. */
	isSpoilt = false;
	#isClosed = false;
	readonly #opened = once(async () => {
		const database = await (this.#url === null ? take() : open(await this.#url()));
		database.store.subscribe((news) => {
			for (const listener of this.#listeners) listener(news);
		});
		this.#database = database;
		return database;
	});

	/**
	 * @param url returns the address of the database. By default, the store uses an empty database, which later
	 * stores use again
	 */
	constructor(url: (() => Promise<string>) | null = null) {
		this.#url = url;
	}

	get statistics() {
		return this.#database?.store.statistics ?? { pending: 0, commits: 0, committedChanges: 0 };
	}

	/** Closes all connections and refuses new ones, like a lost server. Returns when the store has noticed. */
	async cut(): Promise<void> {
		const { url, store } = await this.#opened();
		this.isSpoilt = true;
		await until(async () => {
			await setReachable(url, false);
			const failure = await store.write(nothing).catch((error) => error.cause);
			const isLost = failure instanceof NotConnected;
			return isLost && !(await store.isHealthy());
		});
	}

	/** Accepts connections again after {@link cut}. Returns when the store answers again. */
	async heal(): Promise<void> {
		const { url, store } = await this.#opened();
		await setReachable(url, true);
		await until(() =>
			store.write(nothing).then(
				() => store.isHealthy(),
				() => false,
			),
		);
		this.isSpoilt = false;
	}

	/** Runs a statement of PostgreSQL that bypasses the services. */
	async query(text: string, parameters: readonly Value[]): Promise<EngineRow[]> {
		const { store } = await this.#opened();
		return store.query(text, parameters);
	}

	read<T>(rule: () => QueryResult<T>): T | Promise<T> {
		const database = this.#database;
		if (database !== null) return database.store.read(rule);
		return this.#opened().then(({ store }) => store.read(rule));
	}

	async write<T>(rule: () => QueryResult<T>): Promise<T> {
		const { store } = await this.#opened();
		return store.write(rule);
	}

	async writeUnsynced<T>(rule: () => QueryResult<T>): Promise<T> {
		return this.write(rule);
	}

	subscribe(listener: (news: StoreEvent) => void): void {
		this.#listeners.push(listener);
	}

	async checkFreshness(): Promise<void> {
		const { store } = await this.#opened();
		await store.checkFreshness();
	}

	async measureSpace(): Promise<Space> {
		const { store } = await this.#opened();
		return store.measureSpace();
	}

	async isHealthy(): Promise<boolean> {
		const { store } = await this.#opened();
		return store.isHealthy();
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		// The store may be used again, and would still call these listeners.
		this.#listeners.length = 0;
		const database = this.#database;
		if (database === null) return;
		if (this.#url === null && !this.isSpoilt) return giveBack(database);
		await database.store.close();
		if (this.#url === null) await dropDatabase(database.url);
	}
}
