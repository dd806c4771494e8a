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

/** As few as an instance may have. */
export const CONNECTIONS = 4;

interface Opened {
	readonly url: string;
	readonly store: PostgresStore;
}

/** Forgets all rows, without a look at the foreign keys of each. */
const EMPTY = `do $$ begin
	set local session_replication_role = replica;
	${[...tables.map(getTableName), "limits"].map((name) => `delete from ${name};`).join("\n\t")}
	perform setval('event_ids', 0);
end $$`;

const free: Opened[] = [];

/** Opens a database, with as few connections as an instance may have if no other number is given. */
export async function openPostgres(url: string, connections = CONNECTIONS): Promise<PostgresStore> {
	const address = readAddress(url, {});
	return (await PostgresStore.open(address, connections)).store;
}

async function open(url: string): Promise<Opened> {
	return { url, store: await openPostgres(url) };
}

/** Copied for each database: faster than to migrate each. */
const template = once(async () => {
	const url = await createDatabase(testServer ?? "");
	const { store } = await open(url);
	await store.close();
	return url;
});

async function take(): Promise<Opened> {
	return free.pop() ?? open(await newDatabase());
}

/** Makes an empty database, of the newest schema; its address. */
export async function newDatabase(): Promise<string> {
	return createDatabase(testServer ?? "", { template: await template() });
}

/** A new database has 8 MB. Deleted rows keep their room, so a database that has grown is not used again. */
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
 * A store on the test server, which is opened at the first use: resorts of tests are made without waiting.
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
	/** Opens the database first, because creating one takes longer than a request may on a busy machine. */
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
	/** Whether nobody may use the database after this store. */
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

	/** @param url of the database; an empty one of its own, which others use later, when left out */
	constructor(url: (() => Promise<string>) | null = null) {
		this.#url = url;
	}

	get statistics() {
		return this.#database?.store.statistics ?? { pending: 0, commits: 0, committedChanges: 0 };
	}

	/**
	 * Ends all connections and refuses new ones, as a server that is gone; returns when the store has lost
	 * them.
	 */
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

	/** Ends what {@link cut} has begun; returns when the store answers again. */
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

	/** Asks any statement of PostgreSQL, past the rules. */
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
		// A store that is used again keeps what listens to it.
		this.#listeners.length = 0;
		const database = this.#database;
		if (database === null) return;
		if (this.#url === null && !this.isSpoilt) return giveBack(database);
		await database.store.close();
		if (this.#url === null) await dropDatabase(database.url);
	}
}
