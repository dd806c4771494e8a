import type { Config } from "../config/config.ts";
import type { EventLog } from "../resort/events/event-log.ts";
import type { FixtureRows } from "../testkit/fixtures/fixture-rows.ts";
import { insertFixtures } from "../testkit/fixtures/insert-fixtures.ts";
import { systemNetwork } from "../webhooks/network.ts";
import type { WebhookSender } from "../webhooks/webhooks.ts";
import {
	connectProvider,
	createApplication,
	type HouseParts,
} from "./application.ts";
import type { Fetch } from "./front.ts";
import type { Log } from "./log/log.ts";
import type { MetricsListener } from "./metrics/metrics-listener.ts";
import type { Sweeper } from "./sweeper.ts";

/** What an instance has before its application is loaded. */
export interface Surroundings
	extends Pick<
		HouseParts,
		| "store"
		| "clock"
		| "random"
		| "controls"
		| "ready"
		| "options"
		| "deliver"
		| "observer"
	> {
	/** Null where it begins without fixtures. */
	readonly fixtures: FixtureRows | null;
	/** Where this machine reaches it: the public address, when no other is configured. */
	readonly url: string;
	readonly log: Log;
	/** Null when metrics are off. */
	readonly metrics: MetricsListener | null;
	/** How many requests are being answered. */
	inFlight(): number;
}

/** An application that answers, with what goes on in it until it is stopped. */
export interface Started {
	readonly fetch: Fetch;
	/** Answers the host. */
	readonly admin: Fetch;
	readonly eventLog: EventLog;
	readonly sweeper: Sweeper;
	/** Null where webhooks are off. */
	readonly sender: WebhookSender | null;
}

/** Puts an application together as the configuration says, and starts what goes on in it. */
export async function startApplication(
	config: Config,
	{ fixtures, url, log, metrics, inFlight, ...given }: Surroundings,
): Promise<Started> {
	const { store, clock } = given;
	const { app, context, windows, places, sweeper, sender, admin } =
		createApplication({
			...given,
			maxStayMs: config["max-stay"],
			keepEventsMs: config["keep-events"],
			provider: await connectProvider(config, clock),
			baseUrl: config["base-url"] ?? url,
			rateLimits: config["rate-limits"],
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
			isThrowaway: config.ephemeral,
			log: log.logger,
		});
	metrics?.begin({
		...{ context: context, windows, places, sender, inFlight },
		droppedLines: log.dropped,
	});
	if (fixtures !== null) {
		await store.write(() => insertFixtures(context, fixtures));
	}
	const swept = sweeper.start();
	// Where others serve the same database they have swept it, and a slow one holds no answer up.
	if (!store.isShared) await swept;
	sender?.start();
	return {
		fetch: app.fetch,
		admin: admin.fetch,
		eventLog: context.eventLog,
		sweeper,
		sender,
	};
}
