import { getTableName } from "drizzle-orm";
import { once } from "../../../../src/core/lib/once.ts";
import type { StoreEvent } from "../../../../src/core/store/store.ts";
import type { Task } from "../../../../src/core/store/task.ts";
import { withDeadline, withoutDeadline } from "../../../../src/features/postgres/deadline.ts";
import { NotConnected } from "../../../../src/features/postgres/postgres-failure.ts";
import type { PostgresStore } from "../../../../src/features/postgres/postgres-store.ts";
import { createSharedWindow, type RunStatement } from "../../../../src/features/postgres/shared-window.ts";
import * as statements from "../../../../src/features/postgres/statements.ts";
import { type LosableStore, tables } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";
import { dropDatabase, setReachable } from "./databases.ts";
import { newDatabase, openPostgres } from "./shared.ts";

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

async function open(url: string): Promise<Opened> {
	return { url, store: await openPostgres(url) };
}

/**
 * Tests reuse databases up to this size; a larger one is dropped. A new database takes up 8 MB, and it grows
 * because deleted rows still occupy space.
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
 * Creates a store on the test server. The store opens its database at the first use, so that tests can create
 * resorts synchronously.
 * @param findUrl returns the address of the database. By default, the store uses an empty database; after the
 * store is closed, the database is emptied again for a later store
 */
export function openLazily(findUrl?: () => Promise<string>): LosableStore {
	const { prepare, publish, lock, eventWatermarks, restartEventIds } = statements;
	const listeners: ((news: StoreEvent) => void)[] = [];
	let database: Opened | null = null;
	let isClosed = false;
	const opened = once(async () => {
		const reused = findUrl === undefined ? free.pop() : undefined;
		database = reused ?? (await open(await (findUrl?.() ?? newDatabase({ withTables: true }))));
		database.store.subscribe((news) => {
			for (const listener of listeners) listener(news);
		});
		return database;
	});
	const query: RunStatement = async (...statement) => (await opened()).store.query(...statement);
	const write = async <T>(task: () => Task<T>) => (await opened()).store.write(task);
	const isHealthy = async () => (await opened()).store.isHealthy();
	return {
		path: "",
		isShared: true,
		isSpoilt: false,
		prepare,
		publish,
		lock,
		eventWatermarks,
		restartEventIds,
		query,
		write,
		writeUnsynced: write,
		isHealthy,
		withoutDeadline,
		get statistics() {
			return database?.store.statistics ?? { pending: 0, commits: 0, committedChanges: 0 };
		},
		get fault() {
			return database?.store.fault ?? null;
		},
		/** Opens the database before the deadline starts, because the creation may exceed it. */
		async withDeadline(request) {
			await opened();
			return withDeadline(request);
		},
		createWindow: (name, windowMs) => createSharedWindow(query, name, windowMs),
		async scrub() {},
		read(task) {
			if (database !== null) return database.store.read(task);
			return opened().then(({ store }) => store.read(task));
		},
		subscribe: (listener) => void listeners.push(listener),
		checkFreshness: async () => (await opened()).store.checkFreshness(),
		measureSpace: async () => (await opened()).store.measureSpace(),
		async cut() {
			const { url } = await opened();
			this.isSpoilt = true;
			await until(async () => {
				await setReachable(url, false);
				const failure = await write(nothing).catch((error) => error.cause);
				return failure instanceof NotConnected && !(await isHealthy());
			});
		},
		async heal() {
			const { url } = await opened();
			await setReachable(url, true);
			await until(() => write(nothing).then(isHealthy, () => false));
			this.isSpoilt = false;
		},
		async close() {
			if (isClosed) return;
			isClosed = true;
			// A later store may use the same database connections, which must no longer call these listeners.
			listeners.length = 0;
			if (database === null) return;
			if (findUrl === undefined && !this.isSpoilt) return giveBack(database);
			await database.store.close();
			if (findUrl === undefined) await dropDatabase(database.url);
		},
	};
}
