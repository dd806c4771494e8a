import type { Logger } from "@logtape/logtape";
import { authenticationOf } from "../auth/authentication.ts";
import type { Access } from "../auth/call.ts";
import { Endings } from "../auth/endings.ts";
import { createWindows, type Windows } from "../auth/limits.ts";
import { Places } from "../auth/places.ts";
import type { IdentityProvider } from "../auth/provider/identity-provider.ts";
import type { Config } from "../config/config.ts";
import { createDocuments } from "../guide/documents.ts";
import { type Answering, createAnswering } from "../http/answering.ts";
import { type App, createApp } from "../http/app.ts";
import type { HttpOptions } from "../http/call.ts";
import { Door, type Pages } from "../http/door.ts";
import type { Observer } from "../http/exchange.ts";
import type { Deliver } from "../http/send.ts";
import { unknownControls } from "../http/unknown-controls.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { McpDoor } from "../mcp/door.ts";
import { ReadyAnswers } from "../pipeline/ready.ts";
import type { Context } from "../resort/context.ts";
import { EventLog } from "../resort/events/event-log.ts";
import type { Registration } from "../resort/invites/service.ts";
import type { Operation } from "../resort/operation.ts";
import { operations } from "../resort/operations.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import type { Store } from "../store/store.ts";
import { createTestkit, type TestkitParts } from "../testkit/create-testkit.ts";
import { testOperations } from "../testkit/operations.ts";
import { failurePage } from "../web/failure-page.ts";
import { pageHeaders } from "../web/html-page.ts";
import { MeDoor, mePaths } from "../web/me/door.ts";
import {
	pageOperations,
	pictureOperations,
	securityOperation,
} from "../web/operations.ts";
import { homePage } from "../web/pages/home-page.ts";
import { referencePage } from "../web/reference-page.ts";
import {
	type WebhookOptions,
	WebhookSender,
} from "../webhooks/webhook-sender.ts";
import { type Fetch, frontOf } from "./front.ts";
import { Sweeper } from "./sweeper.ts";

/** What an application is created from. */
export interface ApplicationParts {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly maxStayMs: number;
	/** How long events are kept. */
	readonly keepEventsMs: number;
	/** Null if agents register here. */
	readonly provider: IdentityProvider | null;
	/** The public address, without a trailing slash. */
	readonly baseUrl: string;
	readonly registration: Registration;
	readonly rateLimits: boolean;
	/** How webhooks are sent; null if they are off. */
	readonly webhooks: WebhookOptions | null;
	/** What the test controls change; null without them. */
	readonly controls: TestkitParts | null;
	/** Whether the database is discarded at the end; false by default. */
	readonly isEphemeral?: boolean;
	/** Where to report a vulnerability; null if there is no contact. */
	readonly securityContact: string | null;
	/** Whether there are web pages for people. */
	readonly page: boolean;
	readonly options: HttpOptions;
	readonly deliver: Deliver;
	readonly log: Logger;
	/** Receives every request after its response; null if none is needed. */
	readonly observer: Observer | null;
}

/** The resort as a function from requests to responses, with its background jobs. */
export interface Application {
	/** Answers every request. */
	readonly fetch: Fetch;
	/** The application behind the cache, for tests. */
	readonly app: App;
	readonly context: Context;
	readonly ready: ReadyAnswers;
	readonly windows: Windows;
	readonly places: Places;
	/** Not started. */
	readonly sweeper: Sweeper;
	/** Not started; null if webhooks are off. */
	readonly sender: WebhookSender | null;
	/** The operations of this instance. */
	readonly operations: readonly Operation[];
}

/** Creates an application. */
export function createApplication(parts: ApplicationParts): Application {
	const { store, clock, provider, baseUrl, page, registration } = parts;
	const { rateLimits, keepEventsMs, log, controls } = parts;
	const { random, maxStayMs } = parts;
	const services: ServiceContext = {
		store,
		clock,
		random,
		maxStayMs,
		provider,
	};
	const windows = createWindows(store.rateLimitCounter);
	const places = new Places(rateLimits);
	const authentication = authenticationOf(services, provider);
	const operations = operationsOf(parts);
	const pages = pageOperationsOf(parts);
	const sweeper = new Sweeper(services, keepEventsMs, log);
	const eventLog = new EventLog(store);
	const sender =
		parts.webhooks &&
		new WebhookSender(services, eventLog, parts.webhooks, log);
	const context: Context = {
		...services,
		...{ eventLog, baseUrl, page, registration },
		webhooks: sender,
		sessions: authentication.sessions,
		documents: createDocuments(
			operations,
			baseUrl,
			provider,
			registration,
			keepEventsMs,
			(document) => referencePage(document, page),
		),
		testkit:
			controls &&
			createTestkit(services, controls, {
				async clearLimits() {
					for (const window of Object.values(windows)) await window.clear();
				},
				async clockMoved() {
					await sweeper.sweep();
					sender?.clockMoved();
				},
			}),
	};
	const all = [...operations, ...pages, homePage];
	const ready = new ReadyAnswers(store);
	ready.add(all);
	controls?.faults.setOperations(all);
	controls?.calls.setOperations(all);
	const access: Access = {
		...{ context, authentication, windows, places, rateLimits },
		endings: new Endings(store),
	};
	const answering = createAnswering(access, ready, log);
	const app = appOf(parts, answering, operations, pages);
	return {
		...{ app, context, ready, windows, places, sweeper, sender, operations },
		fetch: frontOf({
			...parts,
			source: services,
			ready,
			faults: controls?.faults ?? null,
			application: app.fetch,
		}),
	};
}

/** Returns the operations of an instance. */
function operationsOf(parts: ApplicationParts): readonly Operation[] {
	const isEnabled = {
		provider: parts.provider !== null,
		testkit: parts.controls !== null,
		webhooks: parts.webhooks !== null,
	};
	return [...operations, ...testOperations].filter(
		({ only }) => only === undefined || isEnabled[only],
	);
}

/** Returns the operations that no document for agents lists. */
function pageOperationsOf({
	securityContact,
	page,
}: ApplicationParts): Operation[] {
	return [
		...pictureOperations,
		...(securityContact === null ? [] : [securityOperation(securityContact)]),
		...(page ? pageOperations : []),
	];
}

/** Routes requests to the HTTP, MCP and web handlers. */
function appOf(
	parts: ApplicationParts,
	answering: Answering,
	operations: readonly Operation[],
	pages: readonly Operation[],
): App {
	const { page, isEphemeral } = parts;
	const door = new Door({
		...parts,
		answering,
		pages: page ? pagesOf(answering.access.context) : null,
	});
	const mcp = new McpDoor({ ...parts, answering, operations });
	const me = new MeDoor({ ...parts, answering });
	const ownPages = mePaths.map((path) => ({
		path,
		answer: (request: Request) => me.answer(request),
	}));
	return createApp(operations, pages, door, [
		mcp,
		...(page ? ownPages : []),
		...(isEphemeral ? [unknownControls(door, operations)] : []),
	]);
}

/** What the HTTP handler returns to browsers. */
function pagesOf(context: Context): Pages {
	return {
		home: homePage,
		get headers() {
			return pageHeaders();
		},
		failure: (status, body) => failurePage(context, status, body),
	};
}

/** Creates the identity provider's client; null without a provider. Its code, with `node:crypto`, is loaded if needed. */
export async function connectProvider(
	config: Config,
	clock: Clock,
): Promise<IdentityProvider | null> {
	const url = config["identity-url"];
	const secrets = config["identity-secret"];
	if (url === null || secrets === null) return null;
	const { createIdentityProvider } = await import(
		"../auth/provider/identity-provider.ts"
	);
	return createIdentityProvider({
		url,
		secrets,
		introspectionPath: config["identity-introspection-path"],
		rateLimits: config["rate-limits"],
		clock,
	});
}
