import type { Database } from "bun:sqlite";
import { createApplication } from "../../src/cli/application.ts";
import type { ConcurrencyLimit } from "../../src/core/calls/concurrency-limit.ts";
import type { ResponseCache } from "../../src/core/calls/response-cache.ts";
import type { Attachment } from "../../src/core/commands/feature.ts";
import type { Fetch } from "../../src/core/http/app.ts";
import { ResponseSender } from "../../src/core/http/send-response.ts";
import { DAY_MS } from "../../src/core/lib/clock.ts";
import { type AddressRange, clientKey, parseRange } from "../../src/core/lib/ip-address.ts";
import { systemRandom } from "../../src/core/lib/random.ts";
import type { Context } from "../../src/core/resort/context.ts";
import type { Operation } from "../../src/core/resort/operation.ts";
import type { Registration } from "../../src/core/resort/registration-invites/service.ts";
import { endOverdueStays } from "../../src/core/resort/stays/service.ts";
import type { CapacityWatch } from "../../src/core/server/capacity.ts";
import { openStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import type { EngineRow } from "../../src/core/store/store.ts";
import { type Answered, type CallOptions, Resort, toAnswered, toRequest } from "./calls.ts";
import { onPostgres } from "./engine.ts";
import { testFeatures, testServerDatabases } from "./features.ts";
import type { LastingDatabase } from "./lasting.ts";
import { type LogLine, memoryLog } from "./log.ts";
import { type LosableStore, rowsOf, type ServerStore, type TestStore, tablesOf } from "./store.ts";
import { until } from "./until.ts";

/** Where a request comes from that says nothing else. */
const USUAL_PEER = "192.0.2.1";

/** How a resort of a test differs from the usual one. Features add theirs by declaration merging. */
export interface Setup {
	/** A file, which is always SQLite's; a database of its own, which ends with the resort, when left out. */
	readonly database?: string | LastingDatabase;
	/** A store in place of one of its own; the resort closes it. */
	readonly store?: ServerStore;
	readonly maxStayMs?: number;
	/** In bytes; no limit when left out. The size is measured only by {@link TestResort.capacity}. */
	readonly maxDatabase?: number;
	/** 7 days when left out. */
	readonly keepEventsMs?: number;
	/** Limits are off unless a test is about them. */
	readonly rateLimits?: boolean | number;
	readonly trustedProxies?: readonly string[];
	readonly baseUrl?: string;
	/** The time at the start; 2026-03-10T12:00:00Z when left out. */
	readonly nowMs?: number;
	readonly random?: Context["random"];
	readonly registration?: Registration;
}

/** The store of a test: on PostgreSQL if a test server is set, else on SQLite. */
export function openTestStore(database?: Setup["database"]): TestStore {
	if (typeof database === "object") return database.open();
	return database === undefined && onPostgres
		? testServerDatabases().open()
		: openStore(database ?? ":memory:");
}

function shown(row: EngineRow): string {
	const columns = Object.entries(row).map(([name, value]) => [
		name,
		value instanceof Uint8Array ? value.toHex() : value,
	]);
	return JSON.stringify(Object.fromEntries(columns));
}

/** A whole resort with a fresh database and a clock that the test moves. */
export class TestResort extends Resort {
	readonly context: Context;
	readonly operations: readonly Operation[];
	readonly cache: ResponseCache;
	readonly log: LogLine[] = [];
	/** The file of the database; null for none. */
	readonly file: string | null;
	readonly unlisted: readonly Operation[];
	/** What answers a request, as the program does. */
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
				observer: parts.find(({ observe }) => observe)?.observe ?? null,
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

	/** The store of a resort on PostgreSQL, whose server a test can lose. */
	get server(): LosableStore {
		if ("cut" in this.#store) return this.#store as LosableStore;
		throw new Error("this test is about PostgreSQL");
	}

	/** The database, past the store, of a resort on SQLite. */
	get sqlite(): Database {
		if (!("sqlite" in this.#store)) {
			throw new Error("this test is about SQLite: skip it on PostgreSQL");
		}
		return this.#store.sqlite;
	}

	/** Ends the stays that have passed the longest stay allowed. */
	async sweep(): Promise<void> {
		await endOverdueStays(this.context);
	}

	/**
	 * Runs any statement of either engine, past the rules, once what is under way has been written; its rows.
	 */
	rows(text: string): Promise<EngineRow[]> {
		return rowsOf(this.#store, text);
	}

	/** Every row of every table, once what is under way has been written; bytes are hexadecimal. */
	async dump(): Promise<string> {
		const tables: Record<string, string[]> = {};
		for (const name of await tablesOf(this.#store)) {
			const rows = await this.rows(`SELECT * FROM "${name}"`);
			tables[name] = rows.map(shown).sort();
		}
		return JSON.stringify(tables);
	}

	/** Whether the database holds something anywhere; on SQLite also in what it has freed. */
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
