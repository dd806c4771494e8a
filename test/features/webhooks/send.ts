/** Sends a message to each URL in the variable `URLS`, at this machine, and prints the results. */
import { type AddressRange, parseRange } from "../../../src/core/lib/ip-address.ts";
import { attempt, systemNetwork } from "../../../src/features/webhooks/delivery-attempt.ts";

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
