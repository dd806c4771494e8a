import type { Logger } from "@logtape/logtape";
import { quickKinds } from "../answers/quick.ts";
import { ReadyAnswers } from "../answers/ready.ts";
import type { Config } from "../config/config.ts";
import { Delivery } from "../http/delivery.ts";
import type { Observer } from "../http/exchange.ts";
import { recorderOf } from "../http/recorder.ts";
import type { Deliver } from "../http/send.ts";
import {
	type Arrival,
	pathPatterns,
	refuseTarget,
	targetFault,
} from "../http/target.ts";
import { asItCame, WholeRequest } from "../http/whole.ts";
import { clientKey } from "../lib/address.ts";
import { SECOND_MS } from "../lib/clock.ts";
import type { Environment } from "../lib/environment.ts";
import { once } from "../lib/once.ts";
import { StartError } from "../lib/start-error.ts";
import { engineOf } from "../store/engines.ts";
import { systemNetwork } from "../webhooks/network.ts";
import { localAddress } from "./address.ts";
import { socketPlace } from "./admin/place.ts";
import {
	type AdminSocket,
	listenForHost,
	SocketTaken,
} from "./admin/socket.ts";
import { beginningOf } from "./beginning.ts";
import { type Fetch, frontOf } from "./front.ts";
import { Listener } from "./listener.ts";
import { Addresses } from "./log/addresses.ts";
import type { Log } from "./log/log.ts";
import type { MetricsListener } from "./metrics/metrics-listener.ts";

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

/** Closes connections over which nothing has come for so many seconds. */
const IDLE_SECONDS = 60;

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
	const server = bind(config, answerAll, logger);
	controls?.faults.closeIdleBy(() => server.closeIdleConnections());
	const metrics = scrapes && listen(config, scrapes.listenForScrapes);
	const url = localAddress(server.hostname, server.port);
	const { store, migration, warning } = await engineOf(config.database).open({
		database: config.database,
		connections: config["database-connections"],
		environment,
	});
	if (migration !== null) logger.info("database migrated", { ...migration });
	if (warning !== null) logger.warn(warning, { database: store.path });
	store.listenForOutages?.((outage) => {
		if (outage.isOver) {
			logger.warn("database back", { lastedMs: Math.round(outage.lastedMs) });
		} else logger.error("database lost", { error: outage.reason });
	});
	const ready = new ReadyAnswers(store);
	ready.add(quickKinds);
	const options = {
		peerAddress,
		trustedProxies: config["trusted-proxies"],
		outlast: (request: Request, seconds: number) =>
			server.timeout(request, seconds),
	};
	const delivery = new Delivery(server);
	const deliver: Deliver = (request, content, init) => {
		if (!(content instanceof Blob)) return new Response(content, init);
		const came = asItCame(request);
		const forwardedFor = request.headers.get("x-forwarded-for");
		const peer = options.peerAddress(came);
		const address = clientKey(peer, forwardedFor, options.trustedProxies);
		return delivery.respond(came, content, init, address);
	};
	const observer = joined(
		[
			logging(log, addresses),
			metrics?.measure,
			controls && recorderOf(controls.calls, clock.at),
		].filter((one) => one != null),
	);
	const application = once(async () => {
		const { connectProvider, createApplication, insertFixtures } = await import(
			"./application.ts"
		);
		const { app, house, windows, places, sweeper, sender, admin } =
			createApplication({
				store,
				clock: clock.now,
				random,
				maxStayMs: config["max-stay"],
				keepEventsMs: config["keep-events"],
				provider: await connectProvider(config, clock.now),
				baseUrl: config["base-url"] ?? url,
				rateLimits: config["rate-limits"],
				ready,
				registration: config.registration,
				page: config.page,
				securityContact: config["security-contact"],
				webhooks: config.webhooks
					? {
							network: systemNetwork(),
							allowed: config["webhooks-allow"],
							chance: Math.random,
						}
					: null,
				controls,
				isThrowaway: config.ephemeral,
				options,
				deliver,
				log: logger,
				observer,
			});
		metrics?.begin({
			resort: house,
			windows,
			places,
			sender,
			inFlight: () => server.pendingRequests,
			droppedLines: log.dropped,
		});
		if (fixtures !== null) {
			await store.change(() => insertFixtures(house, fixtures));
		}
		const swept = sweeper.start();
		// Where others serve the same database they have swept it, and a slow one holds no answer up.
		if (!store.isShared) await swept;
		sender?.start();
		return {
			fetch: app.fetch,
			admin: admin.fetch,
			tail: house.tail,
			sweeper,
			sender,
		};
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
			const { tail, sweeper, sender } = await application();
			tail.end();
			controls?.faults.end();
			await finishRequests(server, logger);
			await metrics?.stop();
			await socket?.stop();
			await sender?.stop();
			await sweeper.stop();
			await store.close();
			logger.info("stopped");
		},
	};
}

/**
 * Opens the socket of the administration. Where it cannot be had the resort serves without it, unless its path was
 * given.
 * @returns null when there is none
 * @throws StartError when the path was given
 */
async function openToHost(
	config: Config,
	port: number,
	environment: Environment,
	fetch: Fetch,
	log: Logger,
): Promise<AdminSocket | null> {
	const place = socketPlace({ ...config, port }, environment);
	if (place === null) return null;
	try {
		return await listenForHost(place, fetch);
	} catch (error) {
		if (!(error instanceof StartError) || place.isGiven) throw error;
		// Of several instances of one database any can be asked.
		const { message: reason } = error;
		if (error instanceof SocketTaken) log.info("no administration", { reason });
		else log.warn("no administration", { reason });
		return null;
	}
}

/** One observer that tells all; null when there is none. */
function joined(observers: readonly Observer[]): Observer | null {
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

function bind(
	{ host, port }: Config,
	fetch: (request: Arrival) => Response | Promise<Response>,
	log: Logger,
): Listener {
	const serve = (port: number) =>
		Bun.serve({
			hostname: host,
			port,
			// The patterns tell the path as it came; the same function answers all of them.
			routes: Object.fromEntries(pathPatterns.map((path) => [path, fetch])),
			fetch,
			development: false,
			reusePort: false,
			idleTimeout: IDLE_SECONDS,
			// The body parser has a lower limit of its own, which it tells as every other failure is told.
			maxRequestBodySize: Number.MAX_SAFE_INTEGER,
			error: () => Response.json({ error: "Internal error" }, { status: 500 }),
		});
	try {
		return new Listener(serve, port, log);
	} catch (error) {
		throw cannotListen(`--host ${host} --port ${port}`, error);
	}
}

function listen(
	{ "metrics-host": host, "metrics-port": port }: Config,
	listenForScrapes: (host: string, port: number) => MetricsListener,
): MetricsListener {
	try {
		return listenForScrapes(host, port);
	} catch (error) {
		throw cannotListen(`--metrics-host ${host} --metrics-port ${port}`, error);
	}
}

function cannotListen(flags: string, error: unknown): StartError {
	const code = error instanceof Error && "code" in error ? error.code : error;
	const reason =
		code === "EADDRINUSE"
			? "the port is in use"
			: `not an address of this machine, or a port that may not be used (${code})`;
	return new StartError(`cannot listen on ${flags}: ${reason}`, 1);
}

/** Accepts nothing new and waits for what is in flight, but not for ever. */
async function finishRequests(server: Listener, log: Logger): Promise<void> {
	const late = Promise.withResolvers<void>();
	const timer = setTimeout(() => {
		log.warn("requests cut off", { inFlight: server.pendingRequests });
		late.resolve();
	}, STOP_MS);
	await Promise.race([server.stop(), late.promise]);
	clearTimeout(timer);
	await server.stop(true);
}
