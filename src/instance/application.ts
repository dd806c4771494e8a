import type { Logger } from "@logtape/logtape";
import type { IdentityProvider } from "../access/provider/mode.ts";
import type { Config } from "../config/config.ts";
import { createApp } from "../http/app.ts";
import type { Answer } from "../http/exchange.ts";
import { answerBy } from "../http/framework.ts";
import type { HttpState } from "../http/state.ts";
import { requestAsItCame } from "../http/whole.ts";
import {
	type Clock,
	MINUTE_MS,
	type MovableClock,
	SECOND_MS,
} from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { Resort } from "../resort/resort.ts";
import { closeOverdueStays } from "../resort/stays/service.ts";
import { NOTHING } from "../store/changes.ts";
import type { Connection } from "../store/sqlite/connection.ts";
import { storeOn } from "../store/store.ts";
import type { FixtureRows } from "../throwaway/fixtures/rows.ts";
import { insertFixtures } from "../throwaway/fixtures/service.ts";
import type { Listener } from "./listener.ts";
import type { Log } from "./log/log.ts";
import type { MetricsListener } from "./metrics/metrics-listener.ts";

/** What an instance has at hand when its application starts. */
export interface ApplicationParts {
	readonly config: Config;
	readonly connection: Connection;
	readonly clock: MovableClock;
	/** What the HTTP layer keeps. */
	readonly state: HttpState;
	/** Where this machine reaches the instance. */
	readonly url: string;
	/** A whole second, in milliseconds since the epoch; calls that were signed before it are refused. */
	readonly startedMs: number;
	readonly random: Random;
	/** What the instance begins with; null for nothing. */
	readonly fixtures: FixtureRows | null;
	/** Brings the chance back to what it was at the start. */
	readonly restartChance: () => void;
	readonly server: Listener;
	readonly log: Log;
	/** Null when they are off. */
	readonly metrics: MetricsListener | null;
}

/** What answers the requests of an instance that are not answered without the framework. */
export interface Application {
	readonly answer: Answer;
	/** Ends what it does by itself; the last thing before the database is closed. */
	stop(): Promise<void>;
}

/** How often stays that have passed the longest stay allowed are closed in the database. */
const SWEEP_MS = MINUTE_MS;

/** How long the JIT stays as reluctant as scripts/compile.ts makes it; whoever calls on after that calls often. */
const WARM_UP_MS = SECOND_MS;

/**
 * Starts the application on an open database. It is in a file of its own, as the libraries of which it is
 * made take longer to load than the rest of the start.
 */
export async function startApplication({
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
}: ApplicationParts): Promise<Application> {
	const { logger } = log;
	const resort: Resort = {
		store: storeOn(connection),
		clock: clock.now,
		random,
		maxStayMs: config["max-stay"],
		identity: await identityProvider(config, startedMs, clock.now),
	};
	const app = createApp(
		resort,
		{
			peerAddress: (request) =>
				server.addressOf(requestAsItCame(request)) ?? "",
			baseUrl: config["base-url"] ?? url,
			rateLimits: config["rate-limits"],
			trustedProxies: config["trusted-proxies"],
		},
		logger,
		config["test-controls"] ? { clock, fixtures, restartChance } : null,
		state,
	);
	metrics?.begin({
		resort,
		windows: state.windows,
		inFlight: () => server.pendingRequests,
		droppedLines: log.dropped,
	});
	if (fixtures !== null) {
		await resort.store.writer.write(() => insertFixtures(resort, fixtures));
	}
	const sweep = () => sweepOverdueStays(resort, logger);
	await sweep();
	const sweeper = setInterval(sweep, SWEEP_MS);
	const warmUp = setTimeout(() => Bun.unsafe.setJITPolicy(1), WARM_UP_MS);
	return {
		answer: answerBy(app, state),
		async stop() {
			clearInterval(sweeper);
			clearTimeout(warmUp);
			// So that a stay that was shown as closed is closed, whatever the next start allows.
			await sweep();
		},
	};
}

/** Loaded only where there is a provider, as `node:crypto` comes with it. */
async function identityProvider(
	config: Config,
	startedMs: number,
	clock: Clock,
): Promise<IdentityProvider | null> {
	const url = config["identity-url"];
	const secrets = config["identity-secret"];
	if (url === null || secrets === null) return null;
	const introspectionPath = config["identity-introspection-path"];
	const { createIdentityProvider } = await import("../access/provider/mode.ts");
	return createIdentityProvider({
		url,
		secrets,
		introspectionPath,
		startedMs,
		clock,
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
