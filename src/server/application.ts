import type { Logger } from "@logtape/logtape";
import { authenticationOf } from "../auth/authentication.ts";
import type { Access } from "../auth/call.ts";
import { Endings } from "../auth/endings.ts";
import { createWindows, type Windows } from "../auth/limits.ts";
import { Places } from "../auth/places.ts";
import type { IdentityProvider } from "../auth/provider/mode.ts";
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
import type { ReadyAnswers } from "../pipeline/ready.ts";
import type { ServiceContext } from "../resort/context.ts";
import { EventLog } from "../resort/events/event-log.ts";
import type { Registration } from "../resort/invites/service.ts";
import type { Context, Operation } from "../resort/operation.ts";
import { operations } from "../resort/operations.ts";
import type { Store } from "../store/store.ts";
import { createTestkit, type TestkitParts } from "../testkit/create-testkit.ts";
import { testOperations } from "../testkit/operations.ts";
import { failurePage } from "../web/failure.ts";
import { MeDoor, mePaths } from "../web/me/door.ts";
import { pageHeaders } from "../web/page.ts";
import { homePage, pageOperations } from "../web/pages.ts";
import { pictureOperations } from "../web/pictures.ts";
import { referencePage } from "../web/reference.ts";
import { securityOperation } from "../web/security.ts";
import {
	createSender,
	type WebhookOptions,
	type WebhookSender,
} from "../webhooks/webhooks.ts";
import { createAdmin } from "./admin/door.ts";
import { Sweeper } from "./sweeper.ts";

/** What a resort is made of. */
export interface HouseParts {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly maxStayMs: number;
	/** How long events are kept. */
	readonly keepEventsMs: number;
	/** Null where agents register here. */
	readonly provider: IdentityProvider | null;
	/** The public address, without a slash at its end. */
	readonly baseUrl: string;
	readonly registration: Registration;
	readonly rateLimits: boolean;
	readonly ready: ReadyAnswers;
	/** How webhooks are sent; null where they are off. */
	readonly webhooks: WebhookOptions | null;
	/** What the test controls work on; null where tests may do nothing. */
	readonly controls: TestkitParts | null;
	/** Whether it is thrown away after a test; it is not when left out. */
	readonly isThrowaway?: boolean;
	/** Whom to tell of a weakness; null when nobody is named. */
	readonly securityContact: string | null;
	/** Whether there are pages for people. */
	readonly page: boolean;
	readonly options: HttpOptions;
	readonly deliver: Deliver;
	readonly log: Logger;
	/** Null when nobody watches. */
	readonly observer: Observer | null;
}

/** A resort that can be asked over HTTP. */
export interface Application {
	readonly context: Context;
	readonly windows: Windows;
	readonly places: Places;
	/** Not started yet. */
	readonly sweeper: Sweeper;
	/** Not started yet; null where webhooks are off. */
	readonly sender: WebhookSender | null;
	/** Those that are there in this instance. */
	readonly operations: readonly Operation[];
	readonly app: App;
	/** Answers the host, who reaches it by another way than everybody else. */
	readonly admin: Pick<App, "fetch">;
}

/** Puts the parts of a resort together. */
export function createApplication(parts: HouseParts): Application {
	const { store, clock, random, maxStayMs, provider } = parts;
	const { baseUrl, page, registration, rateLimits } = parts;
	const { ready, keepEventsMs, options, log } = parts;
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
	const own = operationsOf(parts);
	const pages = pageOperationsOf(parts);
	const sweeper = new Sweeper(services, keepEventsMs, log);
	const eventLog = new EventLog(store);
	const sender =
		parts.webhooks && createSender(services, eventLog, parts.webhooks, log);
	const context: Context = {
		...services,
		...{ eventLog, baseUrl, page, registration },
		webhooks: sender,
		sessions: authentication.sessions,
		documents: createDocuments(
			own,
			baseUrl,
			provider,
			registration,
			keepEventsMs,
			(document) => referencePage(document, page),
		),
		testkit:
			parts.controls &&
			createTestkit(services, parts.controls, {
				async clearLimits() {
					for (const window of Object.values(windows)) await window.clear();
				},
				async clockMoved() {
					await sweeper.sweep();
					sender?.clockMoved();
				},
			}),
	};
	const all = [...own, ...pages, homePage];
	ready.add(all);
	parts.controls?.faults.setOperations(all);
	parts.controls?.calls.setOperations(all);
	const access: Access = {
		...{ context, authentication, windows, places, rateLimits },
		endings: new Endings(store),
	};
	const answering = createAnswering(access, ready, log);
	return {
		...{ context, windows, places, sweeper, sender },
		operations: own,
		app: appOf(parts, answering, own, pages),
		admin: createAdmin(answering, options, log),
	};
}

/** The operations that are there in an instance. */
function operationsOf(parts: HouseParts): readonly Operation[] {
	const isThere = {
		provider: parts.provider !== null,
		testkit: parts.controls !== null,
		webhooks: parts.webhooks !== null,
	};
	return [...operations, ...testOperations].filter(
		({ only }) => only === undefined || isThere[only],
	);
}

/** What is there for people and their programs alone, and told to no other program. */
function pageOperationsOf({ securityContact, page }: HouseParts): Operation[] {
	return [
		...pictureOperations,
		...(securityContact === null ? [] : [securityOperation(securityContact)]),
		...(page ? pageOperations : []),
	];
}

/** Opens the doors that are reached over HTTP. */
function appOf(
	parts: HouseParts,
	answering: Answering,
	own: readonly Operation[],
	pages: readonly Operation[],
): App {
	const { page, isThrowaway } = parts;
	const door = new Door({
		...parts,
		answering,
		pages: page ? pagesOf(answering.access.context) : null,
	});
	const mcp = new McpDoor({ ...parts, answering, operations: own });
	const me = new MeDoor({ ...parts, answering });
	const ownPages = mePaths.map((path) => ({
		path,
		answer: (request: Request) => me.answer(request),
	}));
	return createApp(own, pages, door, [
		mcp,
		...(page ? ownPages : []),
		...(isThrowaway ? [unknownControls(door, own)] : []),
	]);
}

/** What the door gives to browsers. */
function pagesOf(context: Context): Pages {
	return {
		home: homePage,
		get headers() {
			return pageHeaders();
		},
		failure: (status, body) => failurePage(context, status, body),
	};
}

/**
 * The identity provider; null where there is none. Its code is loaded only when needed, because `node:crypto` comes
 * with it.
 */
export async function connectProvider(
	config: Config,
	clock: Clock,
): Promise<IdentityProvider | null> {
	const url = config["identity-url"];
	const secrets = config["identity-secret"];
	if (url === null || secrets === null) return null;
	const { createIdentityProvider } = await import("../auth/provider/mode.ts");
	return createIdentityProvider({
		url,
		secrets,
		introspectionPath: config["identity-introspection-path"],
		rateLimits: config["rate-limits"],
		clock,
	});
}
