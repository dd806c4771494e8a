import type { Logger } from "@logtape/logtape";
import type { App } from "../core/commands/feature.ts";
import { answerValid, type Fetch } from "../core/http/app.ts";
import { ResponseSender, UnreadResponses } from "../core/http/send-response.ts";
import { HOUR_MS, SECOND_MS } from "../core/lib/clock.ts";
import { clientKey } from "../core/lib/ip-address.ts";
import { systemRandom } from "../core/lib/random.ts";
import { shortenStays } from "../core/resort/stays/queries.ts";
import type { Log } from "../core/server/log/log.ts";
import { localAddress } from "../core/server/ports.ts";
import { runChecks } from "../core/store/check.ts";
import { EXTERNAL_CHANGE, type Store } from "../core/store/store.ts";
import { createApplication } from "./application.ts";
import { type Config, engineOf, loadParts } from "./features.ts";
import { Listener } from "./listener.ts";
import { logRequests } from "./request-log.ts";

/** The time limit for requests in flight when the instance stops. */
const STOP_MS = 10 * SECOND_MS;

/** The interval at which {@link watchDatabase} checks the database. Shorter outages may not be logged. */
const WATCH_MS = SECOND_MS / 4;

/** Starts a resort, as `Program.startInstance` describes. */
export async function startInstance(config: Config, log: Log, environment: NodeJS.ProcessEnv) {
	const { logger } = log;
	// Binds all ports before it opens the database, so that the database stays unchanged if a port is in use.
	const parts = await loadParts(config);
	const peerOf = (request: Request) => server.requestIP(request)?.address ?? "";
	let warnedAtMs = Number.NEGATIVE_INFINITY;
	const warnIgnored = (reason: string) => {
		if (performance.now() < warnedAtMs + HOUR_MS) return;
		warnedAtMs = performance.now();
		logger.warn("X-Forwarded-For ignored: limits count all clients of its sender as one", { reason });
	};
	const proxies = config["trusted-proxies"];
	const clientKeyOf = (request: Request) =>
		clientKey(peerOf(request), request.headers.get("x-forwarded-for"), proxies, warnIgnored);
	// Until the application is complete, all requests wait.
	const opened = Promise.withResolvers<Fetch>();
	let answer: Fetch = async (request) => (await opened.promise)(request);
	const server = new Listener(config, (request) => answerValid(request, responses, answer), logger);
	const responses = new ResponseSender(new UnreadResponses(server));
	const observers = [logRequests(log, config), ...parts.map(({ observe }) => observe)];
	const url = localAddress(server.hostname, server.port);
	const store = await openStore(config, environment, logger);
	const watch = watchDatabase(store, logger);
	const application = createApplication({
		config,
		store,
		clock: parts.find((part) => part.clock)?.clock ?? Date.now,
		random: parts.find((part) => part.random)?.random ?? systemRandom,
		baseUrl: config["base-url"] ?? url,
		parts,
		log: logger,
		server: {
			clientKey: clientKeyOf,
			peerOf: config["log-addresses"] ? peerOf : null,
			setTimeout: (request, seconds) => server.timeout(request, seconds),
			responses,
			observers: observers.filter((observer) => observer != null),
		},
	});
	const { context, sweeper, capacity, attachments } = application;
	const { maxStayMs } = context;
	const app: App = {
		...application,
		inFlight: () => server.pendingRequests,
		droppedLines: log.dropped,
		examine: async () => runChecks((await import("./check-settings.ts")).hostChecks, config),
	};
	for (const attached of attachments) await attached.start?.(app);
	if (maxStayMs > 0) {
		await store.write(function* () {
			const shortened = yield* shortenStays(store).get({ maxStayMs });
			// Other instances may have cached the stays.
			if (shortened !== undefined) yield* store.publish(EXTERNAL_CHANGE);
		});
	}
	const swept = sweeper.start();
	// Does not wait for the first sweep of a shared database, because other instances sweep it too.
	if (!store.isShared) await swept;
	await capacity.start();
	answer = application.fetch;
	opened.resolve(answer);
	return {
		url,
		/** The location of the database without secrets: an absolute path, `:memory:`, or a URL. */
		database: store.path,
		agentKeys: Object.assign({}, ...parts.map((part) => part.agentKeys)),
		/** Additional fields for the line that is printed on stdout when the instance is ready. */
		readyFields: Object.assign({}, ...parts.map((part) => part.readyFields)),
		/** Additional fields for the line that is logged when the instance is ready. */
		loggedFields: Object.assign({}, ...parts.map((part) => part.loggedFields)),
		async stop() {
			logger.info("stopping");
			context.eventLog.end();
			for (const attached of attachments) attached.end?.();
			await finishRequests(server, logger);
			for (const attached of attachments) await attached.stop?.();
			capacity.stop();
			await sweeper.stop();
			clearInterval(watch);
			await store.close();
			logger.info("stopped");
		},
	};
}

async function openStore(config: Config, environment: NodeJS.ProcessEnv, log: Logger): Promise<Store> {
	const { store, migration, warning } = await engineOf(config.database).open({
		database: config.database,
		config,
		environment,
	});
	if (migration !== null) log.info("database migrated", { ...migration });
	if (warning !== null) log.warn(warning, { database: store.path });
	return store;
}

/** Logs when the database can no longer be used, and when it can be used again. Returns the timer. */
function watchDatabase(store: Store, log: Logger): Timer {
	let lostMs: number | null = null;
	const watch = () => {
		const error = store.fault;
		if (error !== null && lostMs === null) {
			lostMs = performance.now();
			log.error("database lost", { error });
		} else if (error === null && lostMs !== null) {
			log.warn("database back", { lastedMs: Math.round(performance.now() - lostMs) });
			lostMs = null;
		}
	};
	return setInterval(watch, WATCH_MS).unref();
}

/** Stops accepting connections. After {@link STOP_MS}, closes the connections that are still open. */
async function finishRequests(server: Listener, log: Logger): Promise<void> {
	const timer = setTimeout(() => {
		log.warn("requests cut off", { inFlight: server.pendingRequests });
		server.stop(true);
	}, STOP_MS);
	await server.stop();
	clearTimeout(timer);
	await server.stop(true);
}
