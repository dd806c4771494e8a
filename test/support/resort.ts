import { Database } from "bun:sqlite";
import { createApplication } from "../../src/cli/application.ts";
import type { ConcurrencyLimit } from "../../src/core/calls/concurrency-limit.ts";
import type { ResponseCache } from "../../src/core/calls/response-cache.ts";
import type { Attachment } from "../../src/core/commands/feature.ts";
import type { Fetch } from "../../src/core/http/app.ts";
import { ResponseSender } from "../../src/core/http/send-response.ts";
import { DAY_MS } from "../../src/core/lib/clock.ts";
import { type AddressRange, clientKey, parseRange } from "../../src/core/lib/ip-address.ts";
import { once } from "../../src/core/lib/once.ts";
import { systemRandom } from "../../src/core/lib/random.ts";
import type { Context } from "../../src/core/resort/context.ts";
import type { Operation } from "../../src/core/resort/operation.ts";
import type { Registration } from "../../src/core/resort/service-context.ts";
import { endOverdueStays } from "../../src/core/resort/stays/service.ts";
import type { CapacityWatch } from "../../src/core/server/capacity.ts";
import { pragmas } from "../../src/core/store/sqlite/open-database.ts";
import { openStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import type { EngineRow } from "../../src/core/store/store.ts";
import { type Answered, type CallOptions, Resort, toAnswered, toRequest } from "./calls.ts";
import { onPostgres } from "./engine.ts";
import { testFeatures, testServerDatabases } from "./features.ts";
import type { LastingDatabase } from "./lasting.ts";
import { type LogLine, memoryLog } from "./log.ts";
import { type LosableStore, rowsOf, type ServerStore, type TestStore, tablesOf } from "./store.ts";
import { until } from "./until.ts";

/** The client address of requests without a `peer`. */
const USUAL_PEER = "192.0.2.1";

/** The options of a resort in a test. Features add their options by declaration merging. */
export interface Setup {
	/**
	 * The path of an SQLite file, or a lasting database. By default, a new database that is deleted with the
	 * resort.
	 */
	readonly database?: string | LastingDatabase;
	/** A store to use instead of a new one. The resort closes it. */
	readonly store?: ServerStore;
	readonly maxStayMs?: number;
	/**
	 * The maximum size of the database in bytes; unlimited by default. The size is measured only when a test
	 * calls `check` of {@link TestResort.capacity}.
	 */
	readonly maxDatabase?: number;
	/** 7 days by default. */
	readonly keepEventsMs?: number;
	/** Off by default. A number turns the rate limits on, each multiplied by this number. */
	readonly rateLimits?: boolean | number;
	readonly trustedProxies?: readonly string[];
	readonly baseUrl?: string;
	/** The time at the start; 2026-03-10T12:00:00Z by default. */
	readonly nowMs?: number;
	readonly random?: Context["random"];
	readonly registration?: Registration;
}

/** Opens a store for a test: on PostgreSQL if a test server is set, otherwise on SQLite. */
export function openTestStore(database?: Setup["database"]): TestStore {
	if (typeof database === "object") return database.open();
	if (database !== undefined) return openStore(database);
	return onPostgres ? testServerDatabases().open() : openStore(":memory:", "serve", copyEmpty);
}

/** A database without rows. It is copied, because the migrations take longer than most tests. */
const empty = once(() => openStore(":memory:").sqlite.serialize());

function copyEmpty() {
	const sqlite = Database.deserialize(empty());
	for (const pragma of [...pragmas, "busy_timeout = 0"]) sqlite.run(`PRAGMA ${pragma}`);
	return { sqlite, migration: null };
}

function shown(row: EngineRow): string {
	const columns = Object.entries(row).map(([name, value]) => [
		name,
		value instanceof Uint8Array ? value.toHex() : value,
	]);
	return JSON.stringify(Object.fromEntries(columns));
}

/** A complete resort in this process, with a clock that only the test advances. */
export class TestResort extends Resort {
	readonly context: Context;
	readonly operations: readonly Operation[];
	readonly cache: ResponseCache;
	readonly log: LogLine[] = [];
	/** The path of the database file; null if there is none. */
	readonly file: string | null;
	readonly unlisted: readonly Operation[];
	/** Answers requests as the executable does. */
	readonly fetch: Fetch;
	nowMs: number;
	readonly #store: TestStore;
	readonly concurrency: ConcurrencyLimit;
	readonly capacity: CapacityWatch;
	readonly #peers = new WeakMap<Request, string>();
	readonly #attachments: readonly Attachment[];

	constructor(setup: Setup = {}) {
		super();
		this.nowMs = setup.nowMs ?? Date.UTC(2026, 2, 10, 12);
		const store = setup.store ?? openTestStore(setup.database);
		this.#store = store;
		const clock = () => this.nowMs;
		const rateLimits = setup.rateLimits ?? false;
		const parts = testFeatures.flatMap((feature) => feature.part?.(setup, this) ?? []);
		const trustedProxies = (setup.trustedProxies ?? []).map((range) => parseRange(range) as AddressRange);
		const application = createApplication({
			store,
			clock,
			random: setup.random ?? systemRandom,
			config: {
				"max-stay": setup.maxStayMs ?? 0,
				"max-database": setup.maxDatabase ?? 0,
				"keep-events": setup.keepEventsMs ?? 7 * DAY_MS,
				"rate-limits": rateLimits,
				registration: setup.registration ?? "open",
			},
			baseUrl: setup.baseUrl ?? "http://resort.test",
			parts,
			server: {
				clientKey: (request) =>
					clientKey(
						this.#peers.get(request) ?? USUAL_PEER,
						request.headers.get("x-forwarded-for"),
						trustedProxies,
					),
				setTimeout() {},
				responses: new ResponseSender({ admits: () => true }),
				peerOf: null,
				observers: parts.flatMap(({ observe }) => observe ?? []),
			},
			log: memoryLog(this.log),
		});
		const { context, operations, cache, concurrency } = application;
		this.capacity = application.capacity;
		this.fetch = application.fetch;
		this.cache = cache;
		this.file = typeof setup.database === "string" ? setup.database : null;
		this.context = context;
		this.concurrency = concurrency;
		this.operations = operations;
		this.unlisted = application.unlisted;
		this.#attachments = application.attachments;
		for (const { members } of testFeatures) {
			Object.defineProperties(this, Object.getOwnPropertyDescriptors(members?.(this) ?? {}));
		}
	}

	override async call(method: string, path: string, options: CallOptions = {}): Promise<Answered> {
		const request = toRequest("http://resort.test", method, path, options);
		this.#peers.set(request, options.peer ?? USUAL_PEER);
		const answered = await toAnswered(await this.fetch(request));
		for (const feature of testFeatures) feature.check?.(this, method, path, answered);
		return answered;
	}

	/** The store on PostgreSQL. A test can interrupt its connection. */
	get server(): LosableStore {
		if ("cut" in this.#store) return this.#store as LosableStore;
		throw new Error("this test is about PostgreSQL");
	}

	/** The connection to SQLite, for statements that bypass the store. */
	get sqlite(): Database {
		if (!("sqlite" in this.#store)) {
			throw new Error("this test is about SQLite: skip it on PostgreSQL");
		}
		return this.#store.sqlite;
	}

	/** Ends overdue stays. */
	async sweep(): Promise<void> {
		await endOverdueStays(this.context);
	}

	/** Waits for pending writes, runs a statement that bypasses the services, and returns its rows. */
	rows(text: string): Promise<EngineRow[]> {
		return rowsOf(this.#store, text);
	}

	/** Waits for pending writes, and returns all rows of all tables as text, with bytes in hexadecimal. */
	async dump(): Promise<string> {
		const tables: Record<string, string[]> = {};
		for (const name of await tablesOf(this.#store)) {
			const rows = await this.rows(`SELECT * FROM "${name}"`);
			tables[name] = rows.map(shown).sort();
		}
		return JSON.stringify(tables);
	}

	/** Returns whether the database contains a secret anywhere. On SQLite, this includes freed pages. */
	async holds(secret: string | Uint8Array): Promise<boolean> {
		const rows = await this.dump();
		const sought = typeof secret === "string" ? Buffer.from(secret) : secret;
		return (
			rows.includes(sought.toHex()) ||
			(typeof secret === "string" && rows.includes(secret)) ||
			(!onPostgres && this.sqlite.serialize().includes(sought))
		);
	}

	advance(durationMs: number): void {
		this.nowMs += durationMs;
		for (const attached of this.#attachments) attached.clockMoved?.();
	}

	untilWaiting(count = 1): Promise<void> {
		return until(() => this.concurrency.open.call === count);
	}

	override async close(): Promise<void> {
		for (const attached of this.#attachments) await attached.stop?.();
		await this.context.store.close();
	}
}
