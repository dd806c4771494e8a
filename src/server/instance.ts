import type { Logger } from "@logtape/logtape";
import type { Config } from "../config/config.ts";
import type { HttpOptions } from "../http/call.ts";
import { Delivery } from "../http/delivery.ts";
import type { Observer } from "../http/exchange.ts";
import { recorderOf } from "../http/recorder.ts";
import type { Deliver } from "../http/send.ts";
import { type Arrival, refuseTarget, targetFault } from "../http/target.ts";
import { asItCame, WholeRequest } from "../http/whole.ts";
import { clientKey } from "../lib/address.ts";
import { SECOND_MS } from "../lib/clock.ts";
import type { Environment } from "../lib/environment.ts";
import { once } from "../lib/once.ts";
import { quickKinds } from "../pipeline/quick.ts";
import { ReadyAnswers } from "../pipeline/ready.ts";
import { engineOf } from "../store/engines.ts";
import type { Store } from "../store/store.ts";
import { localAddress } from "./address.ts";
import { openToHost } from "./admin/open.ts";
import { beginningOf } from "./beginning.ts";
import { type Fetch, frontOf } from "./front.ts";
import type { Listener } from "./listener.ts";
import { Addresses } from "./log/addresses.ts";
import type { Log } from "./log/log.ts";
import { listenForMetrics, listenForRequests } from "./ports.ts";

/** A resort that serves, in this process. */
export interface Instance {
	/** Where this machine reaches it. */
	readonly url: string;
	/** Where its metrics are; null when they are off. */
	readonly metricsUrl: string | null;
	/** The whole path of its database, or `:memory:`. */
	readonly database: string;
	/** The keys of the agents of the fixtures, by id. */
	readonly agentKeys: Readonly<Record<string, string>>;
	/** Accepts nothing new, finishes the requests in flight (10 s at most) and closes the database. */
	stop(): Promise<void>;
}

/** How long the requests in flight may take once the instance is told to stop. */
const STOP_MS = 10 * SECOND_MS;

/** Delay before the application is preloaded: the first questions after a start come before it. */
const PRELOAD_AFTER_MS = 10;

/**
 * Starts a resort. Resolves when startup can no longer fail; the application may still be loading then, and
 * requests that need it wait for it.
 * @param environment where the password of a database server may be
 * @throws StartError with exit code 1 when the database or the port cannot be had, 2 when the fixtures are
 * wrong
 */
export async function startInstance(
	config: Config,
	log: Log,
	environment: Environment,
): Promise<Instance> {
	const { logger } = log;
	const { clock, random, fixtures, controls } = await beginningOf(config);
	const scrapes = config.metrics
		? await import("./metrics/metrics-listener.ts")
		: null;
	// The ports first: when one cannot be had, the database stays as it is.
	const opened = Promise.withResolvers<Fetch>();
	let front: Fetch = async (request) => (await opened.promise)(request);
	const peerAddress = (request: Request) =>
		server.requestIP(request)?.address ?? "";
	const addresses = config["log-addresses"]
		? new Addresses(peerAddress, config["trusted-proxies"])
		: null;
	const answerAll = (request: Arrival) => {
		const fault = targetFault(request);
		if (fault !== null) return refuseTarget(request, fault);
		addresses?.note(request);
		return front(WholeRequest.of(request));
	};
	const server = listenForRequests(config, answerAll, logger);
	controls?.faults.closeIdleBy(() => server.closeIdleConnections());
	const metrics = scrapes && listenForMetrics(config, scrapes.listenForScrapes);
	const url = localAddress(server.hostname, server.port);
	const store = await openStore(config, environment, logger);
	const ready = new ReadyAnswers(store);
	ready.add(quickKinds);
	const options: HttpOptions = {
		peerAddress,
		trustedProxies: config["trusted-proxies"],
		outlast: (request, seconds) => server.timeout(request, seconds),
	};
	const deliver = deliverBy(new Delivery(server), options);
	const observer = joined([
		logging(log, addresses),
		metrics?.measure,
		controls && recorderOf(controls.calls, clock.at),
	]);
	const application = once(async () => {
		const { startApplication } = await import("./start-application.ts");
		return startApplication(config, {
			...{ store, clock: clock.now, random, fixtures, controls, ready },
			...{ url, options, deliver, log, observer, metrics },
			inFlight: () => server.pendingRequests,
		});
	});
	let answer: Fetch = async (request) => (await application()).fetch(request);
	const preload = async () => {
		answer = (await application()).fetch;
	};
	front = frontOf({
		source: { store, clock: clock.now, maxStayMs: config["max-stay"] },
		provider: providerOf(config),
		ready,
		deliver,
		observer,
		faults: controls?.faults ?? null,
		application: (request) => answer(request),
	});
	opened.resolve(front);
	const socket = await openToHost(
		config,
		server.port,
		environment,
		async (request) => (await application()).admin(request),
		logger,
	);
	// Whoever reads the ready line finds the metrics and the fixtures there. Otherwise nobody awaits the
	// preloading: a failure to load must crash the program.
	if (metrics !== null || fixtures !== null) await preload();
	else setTimeout(preload, PRELOAD_AFTER_MS);
	return {
		url,
		metricsUrl: metrics?.url ?? null,
		database: store.path,
		agentKeys: Object.fromEntries(
			fixtures?.agents.map(({ id, key }) => [id, key.apiKey]) ?? [],
		),
		async stop() {
			logger.info("stopping");
			const { eventLog, sweeper, sender } = await application();
			eventLog.end();
			controls?.faults.end();
			await Promise.all([
				finishRequests(server, logger),
				socket && finishRequests(socket, logger),
			]);
			await metrics?.stop();
			await sender?.stop();
			await sweeper.stop();
			await store.close();
			logger.info("stopped");
		},
	};
}

/** Opens the database, and logs what its host should know of it, now and later. */
async function openStore(
	config: Config,
	environment: Environment,
	log: Logger,
): Promise<Store> {
	const { store, migration, warning } = await engineOf(config.database).open({
		database: config.database,
		connections: config["database-connections"],
		environment,
	});
	if (migration !== null) log.info("database migrated", { ...migration });
	if (warning !== null) log.warn(warning, { database: store.path });
	store.onOutage?.((outage) => {
		if (outage.isOver) {
			log.warn("database back", { lastedMs: Math.round(outage.lastedMs) });
		} else log.error("database lost", { error: outage.reason });
	});
	return store;
}

/** Counts large bodies to the address of their reader; all others go out as they are. */
function deliverBy(
	delivery: Delivery,
	{ peerAddress, trustedProxies }: HttpOptions,
): Deliver {
	return (request, content, init) => {
		if (!(content instanceof Blob)) return new Response(content, init);
		const came = asItCame(request);
		const forwardedFor = request.headers.get("x-forwarded-for");
		const address = clientKey(peerAddress(came), forwardedFor, trustedProxies);
		return delivery.respond(came, content, init, address);
	};
}

/** One observer that tells all those that are there; null when there is none. */
function joined(
	given: readonly (Observer | null | undefined)[],
): Observer | null {
	const observers = given.filter((one) => one != null);
	if (observers.length === 0) return null;
	return (exchange, request) => {
		for (const tell of observers) tell(exchange, request);
	};
}

/** What logs requests; null when they are not logged. */
function logging(log: Log, addresses: Addresses | null): Observer | null {
	const { exchange: tell } = log;
	return (
		tell &&
		((exchange, request) =>
			tell(exchange, addresses?.of(exchange, request) ?? null))
	);
}

/** What is told of the identity provider before the application is loaded. */
function providerOf(config: Config): { readonly origin: string } | null {
	const url = config["identity-url"];
	return url === null ? null : { origin: new URL(url).origin };
}

/** Accepts nothing new and waits for what is in flight, but not for ever. */
async function finishRequests(
	server: Pick<Listener, "stop" | "pendingRequests">,
	log: Logger,
): Promise<void> {
	const late = Promise.withResolvers<void>();
	const timer = setTimeout(() => {
		log.warn("requests cut off", { inFlight: server.pendingRequests });
		late.resolve();
	}, STOP_MS);
	await Promise.race([server.stop(), late.promise]);
	clearTimeout(timer);
	await server.stop(true);
}
