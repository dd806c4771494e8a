import type { Logger } from "@logtape/logtape";
import { authenticationOf } from "../access/authentication.ts";
import type { Access } from "../access/call.ts";
import { Endings } from "../access/endings.ts";
import { createWindows, type Windows } from "../access/limits.ts";
import { Places } from "../access/places.ts";
import type { IdentityProvider } from "../access/provider/mode.ts";
import { adminOperations } from "../admin/operations.ts";
import type { ReadyAnswers } from "../answers/ready.ts";
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
import { ResortError } from "../lib/resort-error.ts";
import { McpDoor } from "../mcp/door.ts";
import { Tail } from "../resort/events/tail.ts";
import type { Registration } from "../resort/invites/rules.ts";
import type { House, Input, Operation } from "../resort/operation.ts";
import { operations } from "../resort/operations.ts";
import type { Resort } from "../resort/resort.ts";
import type { Store } from "../store/store.ts";
import { insertFixtures } from "../throwaway/fixtures/insert.ts";
import { testOperations } from "../throwaway/operations.ts";
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
import { type ControlParts, controlsOf } from "./controls.ts";
import { Sweeper } from "./sweeper.ts";

export { insertFixtures };

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
	readonly controls: ControlParts | null;
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
	readonly house: House;
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
	const { provider, baseUrl, ready, rateLimits } = parts;
	const { store, clock, random, maxStayMs } = parts;
	const resort: Resort = { store, clock, random, maxStayMs, provider };
	const windows = createWindows(store.counter);
	const authentication = authenticationOf(resort, provider);
	const isThere = {
		provider: provider !== null,
		controls: parts.controls !== null,
		webhooks: parts.webhooks !== null,
	};
	const own = [...operations, ...testOperations].filter(
		({ only }) => only === undefined || isThere[only],
	);
	const sweeper = new Sweeper(resort, parts.keepEventsMs, parts.log);
	const tail = new Tail(store);
	const sender =
		parts.webhooks && createSender(resort, tail, parts.webhooks, parts.log);
	const house: House = {
		...resort,
		tail,
		baseUrl,
		page: parts.page,
		registration: parts.registration,
		webhooks: sender,
		sessions: authentication.sessions,
		documents: createDocuments(
			own,
			baseUrl,
			provider,
			parts.registration,
			parts.keepEventsMs,
			(document) => referencePage(document, parts.page),
		),
		controls:
			parts.controls &&
			controlsOf(resort, parts.controls, {
				async forget() {
					for (const window of Object.values(windows)) await window.clear();
				},
				async clockMoved() {
					await sweeper.sweep();
					sender?.clockMoved();
				},
			}),
	};
	const { page, securityContact } = parts;
	const pages = [
		...pictureOperations,
		...(securityContact === null ? [] : [securityOperation(securityContact)]),
		...(page ? pageOperations : []),
	];
	const all = [...own, ...pages, homePage];
	ready.add(all);
	parts.controls?.faults.know(all);
	parts.controls?.calls.know(all);
	const places = new Places(rateLimits);
	const access: Access = {
		house,
		authentication,
		windows,
		places,
		endings: new Endings(store),
		rateLimits,
	};
	const answering = createAnswering(access, ready, parts.log);
	const door = new Door({
		...parts,
		answering,
		pages: page ? pagesOf(house) : null,
	});
	const mcp = new McpDoor({ ...parts, answering, operations: own });
	const me = new MeDoor({ ...parts, answering });
	const ownPages = mePaths.map((path) => ({
		path,
		answer: (request: Request) => me.answer(request),
	}));
	const app = createApp(own, pages, door, [
		mcp,
		...(page ? ownPages : []),
		...(parts.isThrowaway ? [unknownControls(door, own)] : []),
	]);
	return {
		house,
		windows,
		places,
		sweeper,
		sender,
		operations: own,
		app,
		admin: createAdmin(answering, parts),
	};
}

/**
 * The host's door. It is a door like that of HTTP, without limits and without readers who come from elsewhere; what is
 * changed by it is noted in the log.
 */
function createAdmin(
	answering: Answering,
	parts: Pick<HouseParts, "options" | "log">,
): Pick<App, "fetch"> {
	const { log } = parts;
	const { store } = answering.access.house;
	const told = adminOperations.map((operation) => ({
		...operation,
		async run(input: Input) {
			const change = { by: "admin", what: operation.id };
			try {
				const answer = await store.unhurried(() => operation.run(input));
				if (operation.method !== "GET") {
					log.info("changed by the host", { ...change, whom: whomOf(answer) });
				}
				return answer;
			} catch (error) {
				// A part of it may have been done.
				if (operation.method !== "GET" && isOutage(error)) {
					const whom = input.params.id ?? null;
					log.warn("not wholly changed by the host", { ...change, whom });
				}
				throw error;
			}
		},
	}));
	const door = new Door({
		answering,
		options: parts.options,
		deliver: (_, content, init) => new Response(content, init),
		observer: null,
		pages: null,
	});
	const app = createApp(told, [], door, []);
	return {
		fetch: (request) =>
			store.attend(async () => {
				await store.look();
				return app.fetch(request);
			}),
	};
}

/** Whether the storage failed, or did not do all that it was asked for. */
function isOutage(error: unknown): boolean {
	return error instanceof ResortError && error.code === "unavailable";
}

/** What an answer of the administration was about: an id, or the first word of an invitation's code. */
function whomOf(answer: object): unknown {
	const { id, invite } = Object(answer);
	return id ?? Object(invite).label ?? null;
}

/** What the door gives to browsers. */
function pagesOf(house: House): Pages {
	return {
		home: homePage,
		get headers() {
			return pageHeaders();
		},
		failure: (status, body) => failurePage(house, status, body),
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
	const { createIdentityProvider } = await import("../access/provider/mode.ts");
	return createIdentityProvider({
		url,
		secrets,
		introspectionPath: config["identity-introspection-path"],
		rateLimits: config["rate-limits"],
		clock,
	});
}
