import type { Logger } from "@logtape/logtape";
import { FailureAnswers } from "../core/calls/answer.ts";
import { Authenticator } from "../core/calls/authenticate.ts";
import { ConcurrencyLimit, CostlyReads } from "../core/calls/concurrency-limit.ts";
import type { Pipeline } from "../core/calls/handle.ts";
import { IdempotentCalls } from "../core/calls/idempotent-calls.ts";
import { RateLimits } from "../core/calls/rate-limits.ts";
import { ResponseCache } from "../core/calls/response-cache.ts";
import type { AppServices, Part } from "../core/commands/feature.ts";
import type { CoreConfig } from "../core/config/settings.ts";
import { HttpApp } from "../core/http/app.ts";
import { createBodyGate } from "../core/http/read-call.ts";
import type { HttpServer, Transport } from "../core/http/send-response.ts";
import type { Context } from "../core/resort/context.ts";
import { EventLog } from "../core/resort/events/event-log.ts";
import { operations as coreOperations } from "../core/resort/operations.ts";
import type { ServiceContext } from "../core/resort/service-context.ts";
import { CapacityWatch } from "../core/server/capacity.ts";
import { endDependentsOfAll } from "./features.ts";
import { Sweeper } from "./sweeper.ts";

/** The parts from which an application is created. */
export interface ApplicationParts extends Pick<ServiceContext, "store" | "clock" | "random"> {
	readonly config: Pick<
		CoreConfig,
		"keep-events" | "max-stay" | "rate-limits" | "registration" | "max-database"
	>;
	readonly baseUrl: string;
	/** The parts that the features add to the instance. */
	readonly parts: readonly Part[];
	readonly server: HttpServer;
	readonly log: Logger;
}

/**
 * Creates a resort from its parts, without starting its background jobs. The field `attachments` contains the
 * services of the features, and `metrics` the metrics of all features.
 */
export function createApplication(given: ApplicationParts) {
	const { store, clock, random, baseUrl, parts, log, config } = given;
	const isLimited = config["rate-limits"] !== false;
	const provider = parts.map((part) => part.provider?.(clock)).find((one) => one !== undefined) ?? null;
	const capacity = new CapacityWatch(store, config["max-database"], log);
	const maxStayMs = config["max-stay"];
	const services: ServiceContext = {
		store,
		clock,
		random,
		capacity,
		maxStayMs,
		endDependents: endDependentsOfAll,
		provider,
		registration: config.registration,
	};
	const operations = [coreOperations, ...parts.map((part) => part.operations ?? [])].flat();
	const unlisted = parts.flatMap((part) => part.unlisted ?? []);
	const factor = Number(config["rate-limits"]);
	const failures = new FailureAnswers(log, clock);
	const rateLimits = new RateLimits([...operations, ...unlisted], services, factor, failures);
	const concurrency = new ConcurrencyLimit(isLimited);
	const sweeper = new Sweeper(services, config["keep-events"], log);
	const authenticator = new Authenticator(services, provider);
	const app: AppServices = {
		services,
		eventLog: new EventLog(store),
		baseUrl,
		operations,
		unlisted,
		rateLimits,
		concurrency,
		capacity,
		log,
		async clockMoved() {
			await sweeper.sweep();
			for (const attached of attachments) attached.clockMoved?.();
		},
	};
	const attachments = parts.flatMap((part) => part.attach?.(app) ?? []);
	const added: Partial<Context> = Object.assign({}, ...attachments.map((attached) => attached.context));
	const context: Context = {
		localHosts: [],
		openCalls: null,
		...services,
		sessions: authenticator,
		eventLog: app.eventLog,
		baseUrl,
		...added,
	};
	const cache = new ResponseCache(services, [...operations, ...unlisted]);
	const pipeline: Pipeline = {
		context,
		hook: only(parts.flatMap((part) => part.hook ?? [])),
		authenticator,
		rateLimits,
		concurrency,
		cache,
		costlyReads: new CostlyReads(store.isShared),
		idempotentCalls: new IdempotentCalls(),
		failures,
	};
	const transport: Transport = { pipeline, server: given.server, bodies: createBodyGate(isLimited) };
	const { fetch } = new HttpApp(transport, {
		operations,
		unlisted,
		pathHints: parts.flatMap((part) => part.pathHints ?? []),
		failurePage: only(parts.flatMap((part) => part.failurePage?.(context) ?? [])),
		handlers: parts.flatMap((part) => part.handlers?.(transport, app) ?? []),
	});
	return {
		...app,
		context,
		fetch,
		cache,
		sweeper,
		attachments,
		metrics: attachments.flatMap((attached) => attached.metrics ?? []),
	};
}

function only<T>([item, ...others]: readonly T[]): T | null {
	if (others.length > 0) throw new Error("only one feature may have a hook or a failure page");
	return item ?? null;
}
