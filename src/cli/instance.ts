import type { Logger } from "@logtape/logtape";
import type { RunningInstance } from "../core/commands/feature.ts";
import type { Fetch } from "../core/http/app.ts";
import { requireValidTarget } from "../core/http/request-target.ts";
import { ResponseSender } from "../core/http/send-response.ts";
import { UnreadResponses } from "../core/http/unread-responses.ts";
import { HOUR_MS, SECOND_MS } from "../core/lib/clock.ts";
import { clientKey } from "../core/lib/ip-address.ts";
import { Listener } from "../core/server/listener.ts";
import type { Log } from "../core/server/log/log.ts";
import { logRequests } from "../core/server/log/request-log.ts";
import { localAddress } from "../core/server/ports.ts";
import type { Store } from "../core/store/store.ts";
import { insertFixtures } from "../features/testing/fixtures/insert-fixtures.ts";
import { recordCalls } from "../features/testing/record-calls.ts";
import { createTestSetup } from "../features/testing/test-setup.ts";
import { systemNetwork } from "../features/webhooks/webhook-network.ts";
import { connectProvider, createApplication } from "./application.ts";
import { type Config, engineOf, loadTables } from "./features.ts";

/** A running resort in this process. */
export interface Instance extends RunningInstance {
	/** The URL of the metrics; null if metrics are off. */
	readonly metricsUrl: string | null;
	/**
	 * The location of the database without secrets: the absolute path of a file, `:memory:`, or a URL without
	 * its password.
	 */
	readonly database: string;
}

/** The time limit for requests in flight after {@link Instance.stop}. */
const STOP_MS = 10 * SECOND_MS;

/**
 * Starts a resort.
 * @param environment the environment variables, which may contain the password of a database server
 * @throws StartError with exit code 1 if the database or the port is not available, 2 if the fixtures are
 * invalid
 */
export async function startInstance(
	config: Config,
	log: Log,
	environment: NodeJS.ProcessEnv,
): Promise<Instance> {
	const { logger } = log;
	const { clock, random, fixtures, controls } = await createTestSetup(config, loadTables);
	const scrapes = config.metrics ? await import("../features/metrics/metrics-listener.ts") : null;
	// Ports are bound before the database is opened. So if a port is in use, the database is not changed.
	const started = Promise.withResolvers<Fetch>();
	let answer: Fetch = async (request) => (await started.promise)(request);
	const peerOf = (request: Request) => server.requestIP(request)?.address ?? "";
	let warnedAtMs = Number.NEGATIVE_INFINITY;
	const warnIgnored = (reason: string) => {
		if (performance.now() < warnedAtMs + HOUR_MS) return;
		warnedAtMs = performance.now();
		logger.warn("X-Forwarded-For ignored: limits count all clients of its sender as one", { reason });
	};
	const clientKeyOf = (request: Request) =>
		clientKey(
			peerOf(request),
			request.headers.get("x-forwarded-for"),
			config["trusted-proxies"],
			warnIgnored,
		);
	const arrivals = new WeakMap<Request, { peer: string; timeMs: number }>();
	const keepsArrivals = config["log-addresses"] || controls !== null;
	const server = new Listener(
		config,
		requireValidTarget(
			(request, answer, options) => responses.send(request, answer, options),
			(request) => answer(request),
			(request) => {
				if (!keepsArrivals) return;
				arrivals.set(request, { peer: peerOf(request), timeMs: clock.now() });
			},
		),
		logger,
	);
	const responses = new ResponseSender(new UnreadResponses(server));
	const metrics = scrapes?.listenForScrapes(config["metrics-host"], config["metrics-port"]) ?? null;
	const observers = [
		logRequests(log, config, (request) => arrivals.get(request)?.peer ?? ""),
		metrics?.measure,
		controls && recordCalls(controls.calls, (request) => arrivals.get(request)?.timeMs ?? clock.now()),
	].filter((observer) => observer != null);
	const url = localAddress(server.hostname, server.port);
	const store = await openStore(config, environment, logger);
	const application = createApplication({
		config,
		store,
		clock: clock.now,
		random,
		controls,
		provider: await connectProvider(config, clock.now),
		baseUrl: config["base-url"] ?? url,
		webhooks: config.webhooks
			? {
					network: systemNetwork(),
					allowed: config["webhooks-allow"],
					chance: config.seed === null ? Math.random : () => 0,
				}
			: null,
		log: logger,
		server: {
			clientKey: clientKeyOf,
			setTimeout: (request, seconds) => server.timeout(request, seconds),
			responses,
			observer:
				observers.length === 0
					? null
					: (completed, request) => {
							for (const observe of observers) observe(completed, request);
						},
		},
	});
	const { context, sweeper, capacity, sender } = application;
	metrics?.begin({
		...application,
		inFlight: () => server.pendingRequests,
		droppedLines: log.dropped,
	});
	if (fixtures !== null) {
		await store.write(() => insertFixtures(context, fixtures));
	}
	const swept = sweeper.start();
	// The first sweep of a shared database is not awaited, because it could delay the startup, and other
	// instances sweep the database too.
	if (!store.isShared) await swept;
	await capacity.start();
	sender?.start();
	answer = application.fetch;
	started.resolve(answer);
	return {
		url,
		metricsUrl: metrics?.url ?? null,
		database: store.path,
		agentKeys: Object.fromEntries(fixtures?.agents.map(({ id, key }) => [id, key.apiKey]) ?? []),
		async stop() {
			logger.info("stopping");
			context.eventLog.end();
			controls?.faults.end();
			await finishRequests(server, logger);
			await metrics?.stop();
			await sender?.stop();
			capacity.stop();
			await sweeper.stop();
			await store.close();
			logger.info("stopped");
		},
	};
}

/** Opens the database. Logs migrations, warnings and outages. */
async function openStore(config: Config, environment: NodeJS.ProcessEnv, log: Logger): Promise<Store> {
	const { store, migration, warning } = await engineOf(config.database).open({
		database: config.database,
		config,
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

/** Stops accepting connections. After {@link STOP_MS}, closes the connections that are still open. */
async function finishRequests(
	server: Pick<Listener, "stop" | "pendingRequests">,
	log: Logger,
): Promise<void> {
	const timer = setTimeout(() => {
		log.warn("requests cut off", { inFlight: server.pendingRequests });
		server.stop(true);
	}, STOP_MS);
	await server.stop();
	clearTimeout(timer);
	await server.stop(true);
}
