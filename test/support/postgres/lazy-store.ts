import { once } from "../../../src/lib/once.ts";
import { readAddress } from "../../../src/store/postgres/address.ts";
import { counterOf } from "../../../src/store/postgres/counter.ts";
import { withDeadline } from "../../../src/store/postgres/deadline.ts";
import {
	announcing,
	statementOf,
	turn,
} from "../../../src/store/postgres/questions.ts";
import { PostgresStore } from "../../../src/store/postgres/store.ts";
import { toPostgres } from "../../../src/store/postgres/text.ts";
import type { Rule } from "../../../src/store/rule.ts";
import type { EngineRow, News, Store } from "../../../src/store/store.ts";
import { emptyStore } from "../../../src/throwaway/controls/rules.ts";
import { createDatabase } from "./databases.ts";

/** The address of a server on which the tests run in place of SQLite; undefined for none. */
export const testServer: string | undefined = process.env.RESORT_TEST_POSTGRES;

/** As few as an instance may have. */
const CONNECTIONS = 4;

/** An empty database of the test server, and a connection past the store. */
interface Database {
	readonly url: string;
	readonly store: PostgresStore;
}

/** Databases that a test has given back, emptied. */
const free: Database[] = [];

async function open(url: string): Promise<Database> {
	const { store } = await PostgresStore.open(readAddress(url, {}), CONNECTIONS);
	return { url, store };
}

/** Copied for each database: faster than to migrate each. */
const template = once(async () => {
	const url = await createDatabase(testServer ?? "");
	const { store } = await open(url);
	await store.close();
	return url;
});

async function take(): Promise<Database> {
	const known = free.pop();
	if (known !== undefined) return known;
	const url = await createDatabase(testServer ?? "", {
		template: await template(),
	});
	return open(url);
}

async function giveBack({ url, store }: Database): Promise<void> {
	await store.change(() => emptyStore(store));
	await store.read(function* () {
		yield* store.prepare("delete from limits").run([]);
	});
	free.push({ url, store });
}

/**
 * A store on an empty database of the test server, which is opened at the first use: resorts of tests are made without
 * waiting.
 */
export class LazyStore implements Store {
	readonly path = testServer ?? "";
	readonly isShared = true;
	readonly prepare = (text: string) => statementOf(toPostgres(text));
	readonly announce = announcing;
	readonly turn = turn;
	readonly counter = counterOf(async (text, parameters) => {
		const { store } = await this.#opened();
		return store.query(text, parameters);
	});
	readonly #listeners: ((news: News) => void)[] = [];
	#database: Database | null = null;
	#isClosed = false;
	readonly #opened = once(async () => {
		const database = await take();
		database.store.listen((news) => {
			if (this.#isClosed) return;
			for (const listener of this.#listeners) listener(news);
		});
		this.#database = database;
		return database;
	});

	get figures() {
		return (
			this.#database?.store.figures ?? {
				pending: 0,
				commits: 0,
				committedChanges: 0,
			}
		);
	}

	/** The address of the database. */
	async url(): Promise<string> {
		return (await this.#opened()).url;
	}

	/** Asks any statement of PostgreSQL, past the rules. */
	async query(text: string): Promise<EngineRow[]> {
		const { store } = await this.#opened();
		return store.query(text, []);
	}

	read<T>(rule: () => Rule<T>): T | Promise<T> {
		const database = this.#database;
		if (database !== null) return database.store.read(rule);
		return this.#opened().then(({ store }) => store.read(rule));
	}

	async change<T>(rule: () => Rule<T>): Promise<T> {
		const { store } = await this.#opened();
		return store.change(rule);
	}

	listen(listener: (news: News) => void): void {
		this.#listeners.push(listener);
	}

	readonly attend = withDeadline;

	async look(): Promise<void> {
		const { store } = await this.#opened();
		await store.look();
	}

	async isReadable(): Promise<boolean> {
		const { store } = await this.#opened();
		return store.isReadable();
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		if (this.#database !== null) await giveBack(this.#database);
	}
}
