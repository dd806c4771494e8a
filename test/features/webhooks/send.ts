/**
 * Sends a webhook to each of the URLs in the variable `URLS`, all of which lead here, and prints what came of
 * it.
 */
import { type AddressRange, parseRange } from "../../../src/core/lib/ip-address.ts";
import { attempt } from "../../../src/features/webhooks/delivery-attempt.ts";
import { systemNetwork } from "../../../src/features/webhooks/webhook-network.ts";

const way = {
	network: { ...systemNetwork(), resolve: async () => ["127.0.0.1"] },
	allowed: [parseRange("127.0.0.0/8") as AddressRange],
};
const outcomes = (process.env.URLS ?? "")
	.split(" ")
	.map((url) =>
		attempt(way, { url, secret: "whsec_c2VjcmV0", id: "msg_1", body: "{}" }, new AbortController().signal),
	);
process.stdout.write(JSON.stringify(await Promise.all(outcomes)));
