import { getLogger } from "@logtape/logtape";
import type { Fetch } from "../src/http/app.ts";
import { DAY_MS } from "../src/lib/clock.ts";
import { systemRandom } from "../src/lib/random.ts";
import { createApplication } from "../src/server/application.ts";
import type { openStore } from "../src/store/sqlite/sqlite-store.ts";

/**
 * Puts a whole application together, to be called without a network and without limits.
 * @param store its database
 * @param page whether it shows pages to people
 */
export function applicationOn(
	store: ReturnType<typeof openStore>,
	page: boolean,
): Fetch {
	const { fetch } = createApplication({
		store,
		clock: Date.now,
		random: systemRandom,
		maxStayMs: 0,
		keepEventsMs: DAY_MS,
		provider: null,
		baseUrl: "http://resort.test",
		rateLimits: false,
		page,
		registration: "open",
		securityContact: null,
		webhooks: null,
		controls: null,
		server: {
			clientKey: () => "127.0.0.1",
			setTimeout() {},
			createLargeResponse: (_, body, init) => new Response(body, init),
			observer: null,
		},
		log: getLogger("bench"),
	});
	return fetch;
}
