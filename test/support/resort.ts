import type { Database } from "bun:sqlite";
import { createApplication } from "../../src/cli/application.ts";
import type { ConcurrencyLimit } from "../../src/core/calls/concurrency-limit.ts";
import type { ResponseCache } from "../../src/core/calls/response-cache.ts";
import type { Part } from "../../src/core/commands/feature.ts";
import type { Fetch } from "../../src/core/http/app.ts";
import { ResponseSender } from "../../src/core/http/send-response.ts";
import { DAY_MS } from "../../src/core/lib/clock.ts";
import { type AddressRange, clientKey, isLoopback, parseRange } from "../../src/core/lib/ip-address.ts";
import { once } from "../../src/core/lib/once.ts";
import { systemRandom } from "../../src/core/lib/random.ts";
import type { Context } from "../../src/core/resort/context.ts";
import type { Operation } from "../../src/core/resort/operation.ts";
import type { Registration } from "../../src/core/resort/registration-invites/service.ts";
import { endOverdueStays } from "../../src/core/resort/stays/service.ts";
import type { CapacityWatch } from "../../src/core/server/capacity.ts";
import { openStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import type { EngineRow } from "../../src/core/store/store.ts";
import { createDocument, type OpenApiDocument } from "../../src/features/documents/openapi.ts";
import { documentsPart } from "../../src/features/documents/part.ts";
import type { IdentityOptions } from "../../src/features/identity-provider/identity-provider.ts";
import { identityPart } from "../../src/features/identity-provider/part.ts";
import { mcpPart } from "../../src/features/mcp/part.ts";
import { pagesPart } from "../../src/features/pages/part.ts";
import type { PostgresStore } from "../../src/features/postgres/postgres-store.ts";
import { FaultInjector } from "../../src/features/testing/faults.ts";
import { OpenCalls } from "../../src/features/testing/open-calls.ts";
import { controlsPart } from "../../src/features/testing/part.ts";
import { CallRecorder } from "../../src/features/testing/recorded-calls.ts";
import { deletesOf, type TestkitParts } from "../../src/features/testing/testkit.ts";
import { webhooks } from "../../src/features/webhooks/feature.ts";
import { webhooksPart } from "../../src/features/webhooks/part.ts";
import { systemNetwork } from "../../src/features/webhooks/webhook-network.ts";
import type { WebhookOptions, WebhookSender } from "../../src/features/webhooks/webhook-sender.ts";
import { askAdministration } from "./admin.ts";
import type { Body } from "./body.ts";
import { requireDocumented } from "./conformance.ts";
import { onPostgres } from "./engine.ts";
import type { LastingDatabase } from "./lasting.ts";
import { type LogLine, memoryLog } from "./log.ts";
import { LazyStore } from "./postgres/lazy-store.ts";
import { rowsOf, type TestStore, tablesOf } from "./store.ts";
import { tables } from "./tables.ts";
import { until } from "./until.ts";

const deletes = deletesOf(tables);

/** The OpenAPI document of each mode, which is the same for every resort but for its address. */
const documents = {
	direct: once(() => documentOf(new TestResort())),
	webhooks: once(() => documentOf(new TestResort({ webhooks: sendsNothing }))),
	provider: once(() =>
		documentOf(
			new TestResort({
				identity: { url: "https://id.test", secrets: ["s".repeat(32)] },
			}),
		),
	),
};

/** For a resort that is only asked for its document. */
const sendsNothing: WebhookOptions = {
	network: systemNetwork(),
	allowed: [],
	chance: () => 0,
};

function documentOf({ operations, context }: TestResort): OpenApiDocument {
	return createDocument(operations, "http://resort.test", context.provider);
}

/** Where a request comes from that says nothing else. */
const USUAL_PEER = "192.0.2.1";

/** How a resort of a test differs from the usual one. */
export interface Setup {
	/** A file, which is always SQLite's; a database of its own, which ends with the resort, when left out. */
	readonly database?: string | LastingDatabase;
	/** A store in place of one of its own; the resort closes it. */
	readonly store?: PostgresStore;
	readonly maxStayMs?: number;
	/** In bytes; no limit when left out. The size is measured only by {@link TestResort.capacity}. */
	readonly maxDatabase?: number;
	/** 7 days when left out. */
	readonly keepEventsMs?: number;
	/** Limits are off unless a test is about them. */
	readonly rateLimits?: boolean | number;
	readonly trustedProxies?: readonly string[];
	readonly baseUrl?: string;
	/** The address that the resort would listen on; 127.0.0.1 when left out. */
	readonly host?: string;
	/** The time at the start; 2026-03-10T12:00:00Z when left out. */
	readonly nowMs?: number;
	readonly random?: Context["random"];
	/** Whether `/test/...` is there; it is not when left out. */
	readonly testControls?: boolean;
	readonly registration?: Registration;
	/** Whom to tell of a weakness; nobody when left out. */
	readonly securityContact?: string;
	/** Whether there are pages for people; there are when left out. */
	readonly page?: boolean;
	/**
	 * How webhooks are sent; they are off when left out. Nothing is sent before {@link TestResort.sender} is
	 * started.
	 */
	readonly webhooks?: WebhookOptions;
	/** The identity provider behind which the resort stands; none when left out. */
	readonly identity?: { readonly url: string; readonly secrets: Secrets };
}

type Secrets = IdentityOptions["secrets"];

/** A request of a test. */
export interface Ask {
	/** Sent as JSON with its content type. */
	readonly body?: unknown;
	/** Sent as it is, without a content type of its own. */
	readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
	readonly key?: string;
	readonly session?: string;
	readonly headers?: Record<string, string>;
	/** The address at the other end of the connection. */
	readonly peer?: string;
}

/** An answer, read. */
export interface Answered {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
	/** The JSON of the text; what is not in it is undefined, whatever the type says. */
	readonly body: Body;
}

/** An agent that a test registered. */
export interface Registered {
	readonly id: string;
	readonly key: string;
}

/** The store of a test: on PostgreSQL if a test server is set, else on SQLite. */
export function openTestStore(database?: Setup["database"]): TestStore {
	if (typeof database === "object") return database.open();
	return database === undefined && onPostgres ? new LazyStore() : openStore(database ?? ":memory:");
}

function shown(row: EngineRow): string {
	const columns = Object.entries(row).map(([name, value]) => [
		name,
		value instanceof Uint8Array ? value.toHex() : value,
	]);
	return JSON.stringify(Object.fromEntries(columns));
}

/** A whole resort with a fresh database and a clock that the test moves. */
export class TestResort implements AsyncDisposable {
	readonly context: Context;
	readonly operations: readonly Operation[];
	readonly cache: ResponseCache;
	readonly log: LogLine[] = [];
	readonly #file: string | null;
	/** What answers a request, as the program does. */
	readonly fetch: Fetch;
	readonly faults = new FaultInjector();
	readonly calls = new CallRecorder();
	nowMs: number;
	readonly #store: TestStore | PostgresStore;
	/** Sends webhooks; null where they are off. */
	readonly sender: WebhookSender | null;
	readonly concurrency: ConcurrencyLimit;
	readonly capacity: CapacityWatch;
	readonly #peers = new WeakMap<Request, string>();

	constructor(setup: Setup = {}) {
		this.nowMs = setup.nowMs ?? Date.UTC(2026, 2, 10, 12);
		const store = setup.store ?? openTestStore(setup.database);
		this.#store = store;
		const clock = () => this.nowMs;
		const rateLimits = setup.rateLimits ?? false;
		const parts = this.#partsOf(setup);
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
			pathHints: setup.webhooks === undefined ? webhooks.hintsIfOff() : [],
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
		this.#file = typeof setup.database === "string" ? setup.database : null;
		this.context = context;
		this.sender = context.webhooks ?? null;
		this.concurrency = concurrency;
		this.operations = operations;
	}

	#partsOf({ webhooks, identity, testControls, ...setup }: Setup): readonly Part[] {
		const rateLimits = setup.rateLimits ?? false;
		return [
			documentsPart(setup.keepEventsMs ?? 7 * DAY_MS),
			pagesPart({ page: setup.page ?? true, "security-contact": setup.securityContact ?? null }),
			...(webhooks === undefined ? [] : [webhooksPart(webhooks)]),
			...(identity === undefined
				? []
				: [
						identityPart({
							...identity,
							introspectionPath: "/oauth2/introspect",
							rateLimits: rateLimits !== false,
						}),
					]),
			mcpPart(isLoopback(setup.host ?? "127.0.0.1")),
			...(testControls
				? [
						controlsPart({
							clock: this.#movable(),
							fixtures: null,
							restartRandom() {},
							deletes,
							faults: this.faults,
							calls: this.calls,
							openCalls: new OpenCalls(),
							hosts: [],
						}),
					]
				: []),
		];
	}

	/** The clock, which stands between two moves of the test. */
	#movable(): TestkitParts["clock"] {
		const startMs = this.nowMs;
		return {
			startMs,
			isFrozen: true,
			setTo: (timeMs) => {
				this.nowMs = timeMs;
			},
			freeze() {},
			reset: () => {
				this.nowMs = startMs;
			},
		};
	}

	/** Sends a request through the real application. */
	async ask(method: string, path: string, ask: Ask = {}): Promise<Answered> {
		const headers = new Headers(ask.headers);
		if (ask.body !== undefined) headers.set("content-type", "application/json");
		if (ask.key !== undefined) {
			headers.set("authorization", `Bearer ${ask.key}`);
		}
		if (ask.session !== undefined) {
			headers.set("cookie", `__Host-resort_session=${ask.session}`);
		}
		const request = new Request(`http://resort.test${path}`, {
			method,
			headers,
			body: ask.body === undefined ? (ask.raw ?? null) : JSON.stringify(ask.body),
		});
		this.#peers.set(request, ask.peer ?? USUAL_PEER);
		const response = await this.fetch(request);
		const text = await response.text();
		const contentType = response.headers.get("content-type") ?? "";
		const isJson = contentType === "application/json";
		const direct = this.sender === null ? "direct" : "webhooks";
		const mode = this.context.provider === null ? direct : "provider";
		requireDocumented(documents[mode](), method, path, {
			status: response.status,
			contentType,
			text,
		});
		return {
			status: response.status,
			headers: response.headers,
			text,
			body: isJson && text !== "" ? JSON.parse(text) : {},
		};
	}

	/**
	 * Runs an operation of the administration, on a file as `resort admin` does: by a connection of its own.
	 */
	async host(method: string, path: string, body?: object): Promise<Answered> {
		const store = this.#file === null ? this.context.store : openStore(this.#file, "administer");
		const context = { ...this.context, store };
		const log = memoryLog(this.log);
		try {
			return await askAdministration(context, log, { method, path, body });
		} finally {
			if (this.#file !== null) await store.close();
		}
	}

	async byHost(path: string, body?: object): Promise<Body> {
		const { status, text, body: told } = await this.host("POST", path, body);
		if (status > 201) throw new Error(`${path}: ${status} ${text}`);
		return told;
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

	/** The store of a resort on PostgreSQL, whose server a test can lose. */
	get server(): LazyStore {
		if (this.#store instanceof LazyStore) return this.#store;
		throw new Error("this test is about PostgreSQL");
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
		this.sender?.clockMoved();
	}

	async register(profile: object = {}): Promise<Registered> {
		const { status, body } = await this.ask("POST", "/api/agents", {
			body: { name: "Ada", ...profile },
		});
		if (status !== 201) throw new Error(JSON.stringify(body));
		return { id: body.agent.id, key: body.apiKey };
	}

	async guest(profile: object = {}): Promise<Registered> {
		const agent = await this.register(profile);
		const { status, body } = await this.ask("POST", "/api/checkin", {
			key: agent.key,
		});
		if (status !== 201) throw new Error(JSON.stringify(body));
		return agent;
	}

	/** Checks an agent in or out, in turns: an event each time. */
	async checkInOrOut({ key }: Registered): Promise<void> {
		const { status } = await this.ask("POST", "/api/checkout", { key });
		if (status !== 200) await this.ask("POST", "/api/checkin", { key });
	}

	untilWaiting(count = 1): Promise<void> {
		return until(() => this.concurrency.open.call === count);
	}

	/** Asks who the caller is: 401 without a good credential. */
	me(ask: Ask): Promise<Answered> {
		return this.ask("GET", "/api/me", ask);
	}

	/** Logs an agent in; the value of the session cookie. */
	async login(key: string): Promise<string> {
		const { headers } = await this.ask("POST", "/api/session", {
			body: { apiKey: key },
		});
		const cookie = headers.get("set-cookie") ?? "";
		return /__Host-resort_session=([^;]+)/.exec(cookie)?.[1] ?? "";
	}

	async close(): Promise<void> {
		await this.sender?.stop();
		await this.context.store.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}
}
