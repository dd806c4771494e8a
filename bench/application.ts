import { getLogger } from "@logtape/logtape";
import { createApplication } from "../src/cli/application.ts";
import { configuration } from "../src/cli/features.ts";
import type { Fetch } from "../src/core/http/app.ts";
import { ResponseSender } from "../src/core/http/send-response.ts";
import { systemRandom } from "../src/core/lib/random.ts";
import type { openStore } from "../src/core/store/sqlite/sqlite-store.ts";

/**
 * Puts a whole application together, to be called without a network and without limits.
 * @param store its database
 * @param page whether it shows pages to people
 */
export function applicationOn(store: ReturnType<typeof openStore>, page: boolean): Fetch {
	const { fetch } = createApplication({
		store,
		clock: Date.now,
		random: systemRandom,
		config: {
			...configuration.read({ "rate-limits": "off" }, {}),
			page,
		},
		provider: null,
		baseUrl: "http://resort.test",
		webhooks: null,
		controls: null,
		server: {
			clientKey: () => "127.0.0.1",
			setTimeout() {},
			responses: new ResponseSender({ admits: () => true }),
			observer: null,
		},
		log: getLogger("bench"),
	});
	return fetch;
}
