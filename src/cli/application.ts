import type { Logger } from "@logtape/logtape";
import { Authenticator } from "../core/calls/authenticate.ts";
import { ConcurrencyLimit } from "../core/calls/concurrency-limit.ts";
import { CredentialWatch } from "../core/calls/credential-watch.ts";
import { EventStreams } from "../core/calls/event-streams.ts";
import { FailureAnswers } from "../core/calls/failure-answer.ts";
import type { Pipeline } from "../core/calls/handle.ts";
import { IdempotentCalls } from "../core/calls/idempotent-calls.ts";
import { RateLimits } from "../core/calls/rate-limits.ts";
import { ResponseCache } from "../core/calls/response-cache.ts";
import { createApp } from "../core/http/app.ts";
import type { Pages } from "../core/http/http-handler.ts";
import { createBodyGate } from "../core/http/request-body.ts";
import type { HttpServer } from "../core/http/transport.ts";
import type { Clock } from "../core/lib/clock.ts";
import { CostlyReads } from "../core/lib/costly-reads.ts";
import { isLoopback } from "../core/lib/ip-address.ts";
import type { Context } from "../core/resort/context.ts";
import { EventLog } from "../core/resort/events/event-log.ts";
import type { Operation } from "../core/resort/operation.ts";
import type { ServiceContext } from "../core/resort/service-context.ts";
import { CapacityWatch } from "../core/server/capacity.ts";
import { Sweeper } from "../core/server/sweeper.ts";
import { createDocuments } from "../features/documents/documents.ts";
import type { IdentityProvider } from "../features/identity-provider/identity-provider.ts";
import { profileSettingsOperations } from "../features/identity-provider/profile-settings/operations.ts";
import { McpHandler } from "../features/mcp/mcp-handler.ts";
import { failurePage } from "../features/pages/failure-page.ts";
import { pageHeaders } from "../features/pages/html-page.ts";
import { MeHandler } from "../features/pages/me/me-handler.ts";
import { webOperations } from "../features/pages/operations.ts";
import { homePage } from "../features/pages/pages/home-page.ts";
import { referencePage } from "../features/pages/reference-page.ts";
import { injectFault } from "../features/testing/inject-fault.ts";
import { testOperations } from "../features/testing/operations.ts";
import type { TestkitParts } from "../features/testing/testkit.ts";
import { endWebhooks } from "../features/webhooks/attempt-record.ts";
import { webhookOperations } from "../features/webhooks/operations.ts";
import { type WebhookOptions, WebhookSender } from "../features/webhooks/webhook-sender.ts";
import type { Config } from "./features.ts";
import { operations } from "./operations.ts";

/** The parts from which an application is created. */
export interface ApplicationParts extends Pick<Context, "store" | "clock" | "random" | "baseUrl"> {
	readonly config: Pick<
		Config,
		| ("ephemeral" | "host" | "keep-events" | "max-stay" | "page")
		| "rate-limits"
		| ("registration" | "security-contact" | "max-database")
	>;
	readonly provider: IdentityProvider | null;
	/** The options of webhooks; null if webhooks are off. */
	readonly webhooks: WebhookOptions | null;
	/** The parts that the test controls can change; null if the test controls are off. */
	readonly controls: TestkitParts | null;
	readonly server: HttpServer;
	readonly log: Logger;
}

/**
 * Creates the resort. In the result, `fetch` is a function from requests to responses. The result also
 * contains the background jobs, which are not started yet: the sweeper, the watch of the database's size, and
 * the sender of webhooks (null if webhooks are off).
 */
export function createApplication(parts: ApplicationParts) {
	const { store, clock, random, provider, baseUrl, log, controls } = parts;
	const { page, registration, ephemeral, ...config } = parts.config;
	const maxStayMs = config["max-stay"];
	const keepEventsMs = config["keep-events"];
	const capacity = new CapacityWatch(store, config["max-database"], log);
	const services: ServiceContext = {
		store,
		clock,
		random,
		capacity,
		maxStayMs,
		endDependents: endWebhooks,
		provider,
	};
	const operations = operationsOf(parts);
	const pageOperations = webOperations(config["security-contact"], page);
	const all = [...operations, ...pageOperations, homePage];
	const authenticator = new Authenticator(services, provider);
	const factor = Number(config["rate-limits"]);
	const isLimited = hasLimits(config);
	const rateLimits = new RateLimits(clock, factor, store.createWindow);
	const concurrency = new ConcurrencyLimit(isLimited);
	const cache = new ResponseCache(store, clock, all);
	const sweeper = new Sweeper(services, keepEventsMs, log);
	const eventLog = new EventLog(store);
	const sender = parts.webhooks && new WebhookSender(services, eventLog, parts.webhooks, log);
	const context: Context = {
		...services,
		eventLog,
		baseUrl,
		page,
		registration,
		webhooks: sender,
		sessions: authenticator,
		localHosts: controls?.hosts ?? [],
		openCalls: controls?.openCalls ?? null,
		documents: createDocuments(
			operations,
			{ baseUrl, provider, registration, page },
			keepEventsMs,
			(document) => referencePage(document, page),
		),
		testkit: controls && {
			...controls,
			clearLimits: () => rateLimits.clear(),
			async clockMoved() {
				await sweeper.sweep();
				sender?.clockMoved();
			},
		},
	};
	if (controls !== null) {
		controls.faults.operations = all.filter(({ isLocal }) => !isLocal);
	}
	const pipeline: Pipeline = {
		context,
		hook: controls && {
			before: (call) => injectFault(controls.faults, call),
			isArmed: () => controls.faults.armed.length > 0,
		},
		authenticator,
		rateLimits,
		concurrency,
		cache,
		credentialWatch: new CredentialWatch(store),
		costlyReads: new CostlyReads(store.isShared),
		streams: new EventStreams(),
		idempotentCalls: new IdempotentCalls(),
		failures: new FailureAnswers(log, clock),
	};
	const bodies = createBodyGate(isLimited);
	const transport = { pipeline, server: parts.server, bodies };
	const mcp = new McpHandler(transport, isLoopback(config.host));
	const fetch = createApp(transport, {
		operations,
		pageOperations,
		isEphemeral: ephemeral,
		pages: page ? pagesOf(context) : null,
		handlers: page ? [...mcp.handlers, ...new MeHandler(transport).handlers] : mcp.handlers,
	});
	return {
		fetch,
		context,
		cache,
		rateLimits,
		concurrency,
		sweeper,
		capacity,
		sender,
		operations,
	};
}

function hasLimits(config: Pick<Config, "rate-limits">): boolean {
	return config["rate-limits"] !== false;
}

function operationsOf(parts: ApplicationParts): readonly Operation[] {
	const off = new Set(
		[
			...(parts.provider === null ? profileSettingsOperations : []),
			...(parts.webhooks === null ? webhookOperations : []),
		].map(({ id }) => id),
	);
	const tests = parts.controls === null ? [] : testOperations;
	return [...operations.filter(({ id }) => !off.has(id)), ...tests];
}

/** Returns the pages that browsers receive instead of JSON. */
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
 * Creates the client of the identity provider; null if there is no provider. The code of the client is loaded
 * only if there is a provider.
 */
export async function connectProvider(config: Config, clock: Clock): Promise<IdentityProvider | null> {
	const url = config["identity-url"];
	const secrets = config["identity-secret"];
	if (url === null || secrets === null) return null;
	const { IdentityProvider } = await import("../features/identity-provider/identity-provider.ts");
	return new IdentityProvider({
		url,
		secrets,
		introspectionPath: config["identity-introspection-path"],
		rateLimits: hasLimits(config),
		clock,
	});
}
