import type { Logger } from "@logtape/logtape";
import type { Server } from "bun";
import { createApp } from "../app.ts";
import type { Config } from "../config.ts";
import { openStore } from "../database/open.ts";
import { StartError } from "../errors.ts";
import { insertFixtures } from "../fixtures/service.ts";
import { type Answer, type Exchange, observed } from "../http/exchange.ts";
import { keepingAnswers } from "../http/keep.ts";
import { createHttpState, type HttpState } from "../http/state.ts";
import {
	createIdentityProvider,
	type IdentityProvider,
} from "../identity/mode.ts";
import { NOTHING } from "../lib/changes.ts";
import {
	type Clock,
	MINUTE_MS,
	MovableClock,
	SECOND_MS,
} from "../lib/clock.ts";
import { systemRandom } from "../lib/random.ts";
import { seededRandom } from "../lib/seeded-random.ts";
import type { Resort } from "../resort.ts";
import { closeOverdueStays } from "../stays/service.ts";
import { localAddress } from "./address.ts";
import { readFixtures } from "./fixtures.ts";
import type { Log } from "./log.ts";
import type { MetricsListener } from "./metrics-listener.ts";

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

/** How often stays that have passed the longest stay allowed are closed in the database. */
const SWEEP_MS = MINUTE_MS;

/** A kept status takes some 500 bytes. */
const MAX_KEPT_BYTES = 640 * 1024 * 1024;

/** Closes connections over which nothing has come for so many seconds. */
const IDLE_SECONDS = 60;

/**
 * Starts a resort; it serves once the promise is fulfilled.
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
	const fixtures =
		config.fixtures === null
			? null
			: readFixtures(config.fixtures, random, Date.now());
	const restartChance = seeded?.mark() ?? (() => {});
	// The library of the metrics is loaded only when they are wanted.
	const scrapes = config.metrics ? await import("./metrics-listener.ts") : null;
	let answer: Answer;
	// The ports first: when one cannot be had, the database stays as it is.
	const server = bind(config, (request) => answer(request));
	const metrics = scrapes && listen(config, scrapes.listenForScrapes);
	const url = localAddress(server.hostname ?? config.host, server.port ?? 0);
	const clock = new MovableClock();
	const startedMs = nextSecond();
	const resort: Resort = {
		store: openStore(config.database),
		clock: clock.now,
		random,
		maxStayMs: config["max-stay"],
		identity: identityProvider(config, startedMs, clock.now),
	};
	const { migration } = resort.store;
	if (migration !== null) logger.info("database migrated", { ...migration });
	const state = createHttpState();
	const app = createApp(
		resort,
		{
			peerAddress: (request) => server.requestIP(request)?.address ?? "",
			baseUrl: config["base-url"] ?? url,
			rateLimits: config["rate-limits"],
			trustedProxies: config["trusted-proxies"],
		},
		logger,
		config["test-controls"] ? { clock, fixtures, restartChance } : null,
		state,
	);
	const measure = metrics?.begin({
		resort,
		windows: state.windows,
		inFlight: () => server.pendingRequests,
		droppedLines: log.dropped,
	});
	const watchers = [log.exchange, measure].filter((one) => one != null);
	answer = watched(
		keepingAnswers(app.fetch, resort, state, keptBytes()),
		watchers,
		state,
	);
	if (fixtures !== null) {
		await resort.store.writer.write(() => insertFixtures(resort, fixtures));
	}
	const sweep = () => sweepOverdueStays(resort, logger);
	await sweep();
	const sweeper = setInterval(sweep, SWEEP_MS);
	if (resort.identity !== null) await Bun.sleep(startedMs - Date.now());
	return {
		url,
		metricsUrl: metrics?.url ?? null,
		database: resort.store.path,
		agentKeys: Object.fromEntries(
			fixtures?.agents.map(({ id, key }) => [id, key.apiKey]) ?? [],
		),
		async stop() {
			logger.info("stopping");
			clearInterval(sweeper);
			await finishRequests(server, logger);
			await metrics?.stop();
			// So that a stay that was shown as closed is closed, whatever the next start allows.
			await sweep();
			await resort.store.close();
			logger.info("stopped");
		},
	};
}

/**
 * The next whole second. Calls signed before it are refused, so that none that an earlier process took can be
 * taken again; signatures tell whole seconds, and so the instance is ready when it comes.
 */
function nextSecond(): number {
	return Math.ceil(Date.now() / SECOND_MS) * SECOND_MS;
}

function identityProvider(
	config: Config,
	startedMs: number,
	clock: Clock,
): IdentityProvider | null {
	const url = config["identity-url"];
	const secrets = config["identity-secret"];
	if (url === null || secrets === null) return null;
	const introspectionPath = config["identity-introspection-path"];
	return createIdentityProvider({
		url,
		secrets,
		introspectionPath,
		startedMs,
		clock,
	});
}

/** How much memory ready answers may take: an eighth of what there is, at most enough for a million agents. */
function keptBytes(): number {
	return Math.min(process.constrainedMemory() / 8, MAX_KEPT_BYTES);
}

function bind({ host, port }: Config, fetch: Answer): Server<undefined> {
	try {
		return Bun.serve({
			hostname: host,
			port,
			fetch,
			development: false,
			reusePort: false,
			idleTimeout: IDLE_SECONDS,
			// The body parser has a lower limit of its own, which it tells as every other failure is told.
			maxRequestBodySize: Number.MAX_SAFE_INTEGER,
			error: () => Response.json({ error: "Internal error" }, { status: 500 }),
		});
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

/** Costs nothing when nobody watches. */
function watched(
	answer: Answer,
	watchers: readonly ((exchange: Exchange) => void)[],
	state: HttpState,
): Answer {
	if (watchers.length === 0) return answer;
	return observed(answer, state, (exchange) => {
		for (const watch of watchers) watch(exchange);
	});
}

async function sweepOverdueStays(resort: Resort, log: Logger): Promise<void> {
	if (resort.maxStayMs === 0) return;
	try {
		await resort.store.writer.write(() => closeOverdueStays(resort), NOTHING);
	} catch (error) {
		log.error("sweep failed", { error: String(error) });
	}
}

/** Accepts nothing new and waits for what is in flight, but not for ever. */
async function finishRequests(
	server: Server<undefined>,
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
