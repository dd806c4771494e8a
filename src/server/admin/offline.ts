import { resetSync } from "@logtape/logtape";
import type { Config } from "../../config/config.ts";
import type { Environment } from "../../lib/environment.ts";
import { systemRandom } from "../../lib/random.ts";
import { engineOf } from "../../store/engines.ts";
import { connectProvider, createApplication } from "../application.ts";
import { openLog } from "../log/log.ts";

/** A database that is open for the host alone. */
export interface Offline {
	readonly fetch: (request: Request) => Response | Promise<Response>;
	close(): Promise<void>;
}

/**
 * Opens a database that no instance on this machine serves, under the lock that one would hold; what is changed is
 * noted on stderr.
 * @throws StartError when it cannot be had
 */
export async function openOffline(
	config: Config,
	environment: Environment,
): Promise<Offline> {
	const { store, migration } = await engineOf(config.database).open({
		database: config.database,
		connections: config["database-connections"],
		environment,
	});
	// Last: whoever finds the database in use tries again, and a log cannot be opened twice.
	const log = openLog("info", config["log-format"]);
	if (migration !== null)
		log.logger.info("database migrated", { ...migration });
	const clock = Date.now;
	const { admin } = createApplication({
		store,
		clock,
		random: systemRandom,
		maxStayMs: config["max-stay"],
		keepEventsMs: config["keep-events"],
		provider: await connectProvider(config, clock),
		// The door needs one, to tell who calls from elsewhere.
		baseUrl: config["base-url"] ?? "http://localhost",
		registration: config.registration,
		rateLimits: false,
		page: false,
		securityContact: null,
		webhooks: null,
		controls: null,
		options: { peerAddress: () => "", outlast() {}, trustedProxies: [] },
		deliver: (_, content, init) => new Response(content, init),
		log: log.logger,
		observer: null,
	});
	return {
		fetch: admin,
		async close() {
			await store.close();
			await log.close();
			// So that a command can open the database once more.
			resetSync();
		},
	};
}
