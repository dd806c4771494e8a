import { SECOND_MS } from "../lib/clock.ts";
import { VERSION } from "../lib/version.ts";

/** What stands before the base64 of a secret. */
const PREFIX = "whsec_";

/**
 * The header fields of a webhook (https://www.standardwebhooks.com): its signature is the HMAC-SHA-256 of id, time
 * and body under the secret.
 * @param secret `whsec_` and base64
 * @param id the same at each attempt
 * @param nowMs the true time, because whoever takes it refuses old ones; milliseconds since the epoch
 */
export function signedHeaders(
	secret: string,
	id: string,
	body: string,
	nowMs: number,
): Record<string, string> {
	const timestamp = Math.floor(nowMs / SECOND_MS);
	const key = Buffer.from(secret.slice(PREFIX.length), "base64");
	const signature = new Bun.CryptoHasher("sha256", key)
		.update(`${id}.${timestamp}.${body}`)
		.digest("base64");
	return {
		"content-type": "application/json",
		"user-agent": `agent-resort/${VERSION}`,
		"webhook-id": id,
		"webhook-timestamp": String(timestamp),
		"webhook-signature": `v1,${signature}`,
	};
}
