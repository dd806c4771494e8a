import { getLogger } from "@logtape/logtape";
import { createApplication } from "../src/cli/application.ts";
import { configuration, loadParts } from "../src/cli/features.ts";
import type { Fetch } from "../src/core/http/app.ts";
import { ResponseSender } from "../src/core/http/send-response.ts";
import { systemRandom } from "../src/core/lib/random.ts";
import type { openStore } from "../src/core/store/sqlite/sqlite-store.ts";

/**
 * Creates the whole application, without a network and without rate limits.
 * @param store the database of the application
 */
export async function applicationOn(store: ReturnType<typeof openStore>): Promise<Fetch> {
	const config = configuration.read({ "rate-limits": "off", page: "on" }, {});
	const { fetch } = createApplication({
		store,
		clock: Date.now,
		random: systemRandom,
		config,
		baseUrl: "http://resort.test",
		parts: await loadParts(config),
		server: {
			clientKey: () => "127.0.0.1",
			setTimeout() {},
			responses: new ResponseSender({ admits: () => true }),
			peerOf: null,
			observers: [],
		},
		log: getLogger("bench"),
	});
	return fetch;
}
