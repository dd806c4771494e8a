import type { Logger } from "@logtape/logtape";
import type { Config } from "../config/config.ts";
import type { Answer } from "../http/exchange.ts";
import { createHttpState } from "../http/state.ts";
import {
	type Arrival,
	pathPatterns,
	refuseTarget,
	targetFault,
} from "../http/target.ts";
import { wholeRequest } from "../http/whole.ts";
import { MovableClock, SECOND_MS } from "../lib/clock.ts";
import { once } from "../lib/once.ts";
import { systemRandom } from "../lib/random.ts";
import { seededRandom } from "../lib/seeded-random.ts";
import { StartError } from "../lib/start-error.ts";
import { openConnection } from "../store/sqlite/connection.ts";
import { localAddress } from "./address.ts";
import { frontOf } from "./front.ts";
import { Listener } from "./listener.ts";
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

/** How long nothing is loaded after the start that nobody asks for. */
const LOAD_AFTER_MS = 10;

/**
 * Starts a resort. Once the promise is fulfilled, all that can fail has not failed; the application may still
 * be loading then, and requests that the front does not answer wait for it.
 * @throws StartError with exit code 1 when the database or the port cannot be had, 2 when the fixtures are
 * wrong
 */
export async function startInstance(
	config: Config,
	log: Log,
): Promise<Instance> {
	const { logger } = log;
	const seeded = config.seed === null ? null : seededRandom(config.seed);
	const random = seeded ?? systemRandom;
	// What only an option needs is loaded only with it.
	const fixtures =
		config.fixtures === null
			? null
			: (await import("./fixtures.ts")).readFixtures(
					config.fixtures,
					random,
					Date.now(),
				);
	const restartChance = seeded?.mark() ?? (() => {});
	const scrapes = config.metrics
		? await import("./metrics/metrics-listener.ts")
		: null;
	const clock = new MovableClock();
	const state = createHttpState();
	// The ports first: when one cannot be had, the database stays as it is.
	const answerAll = (request: Arrival) => {
		const fault = targetFault(request);
		if (fault !== null) return refuseTarget(request, fault);
		return front(wholeRequest(request), { context: null });
	};
	const server = bind(config, answerAll, logger);
	const metrics = scrapes && listen(config, scrapes.listenForScrapes);
	const url = localAddress(server.hostname, server.port);
	const startedMs = nextSecond();
	const connection = openConnection(config.database);
	const { migration } = connection;
	if (migration !== null) logger.info("database migrated", { ...migration });
	let answer: Answer = async (request, course) =>
		(await application()).answer(request, course);
	const application = once(() => {
		const loading = import("./application.ts").then(({ startApplication }) =>
			startApplication({
				config,
				connection,
				clock,
				state,
				url,
				startedMs,
				random,
				fixtures,
				restartChance,
				server,
				log,
				metrics,
			}),
		);
		// Not what is given back: whoever waits for that hears of a failure, but the program must end with it.
		loading.then((loaded) => {
			answer = loaded.answer;
		});
		return loading;
	});
	const front = frontOf({
		config,
		connection,
		clock: clock.now,
		state,
		watchers: [log.exchange, metrics?.measure].filter((one) => one != null),
		application: (request, course) => answer(request, course),
	});
	// Whoever reads the ready line finds the metrics and the fixtures there.
	if (metrics !== null || fixtures !== null) await application();
	else loadSoon(application);
	if (config["identity-url"] !== null) {
		await Bun.sleep(startedMs - Date.now());
	}
	return {
		url,
		metricsUrl: metrics?.url ?? null,
		database: connection.path,
		agentKeys: Object.fromEntries(
			fixtures?.agents.map(({ id, key }) => [id, key.apiKey]) ?? [],
		),
		async stop() {
			logger.info("stopping");
			await finishRequests(server, logger);
			await metrics?.stop();
			const { stop } = await application();
			await stop();
			await connection.close();
			logger.info("stopped");
		},
	};
}

/** Loads what no request has asked for yet once the first questions after a start have had their answers. */
function loadSoon(application: () => Promise<unknown>): void {
	setTimeout(application, LOAD_AFTER_MS);
}

/**
 * The next whole second. Calls signed before it are refused, so that none that an earlier process took can be
 * taken again; signatures tell whole seconds, and so the instance is ready when it comes.
 */
function nextSecond(): number {
	return Math.ceil(Date.now() / SECOND_MS) * SECOND_MS;
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
