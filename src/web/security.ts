import { DAY_MS, startOfDayMs, toTimestamp } from "../lib/clock.ts";
import { type Operation, operation } from "../resort/operation.ts";
import { DocumentReply } from "../resort/reply.ts";
import { PAGE } from "./page-operation.ts";

const PATH = "/.well-known/security.txt";

/** How long the file says that it holds, from the day on which it is asked for. */
const VALID_MS = 180 * DAY_MS;

/**
 * Tells whom to tell of a weakness (RFC 9116).
 * @param contact a `https:`, `mailto:` or `tel:` address
 */
export function securityOperation(contact: string): Operation {
	return operation({
		...PAGE,
		id: "getSecurityContact",
		path: PATH,
		summary: "Whom to tell of a weakness",
		mediaTypes: ["text/plain"],
		invalidatedBy: "nothing",
		run({ context: { baseUrl, clock } }) {
			const today = startOfDayMs(clock());
			const content = [
				`Contact: ${contact}`,
				`Expires: ${toTimestamp(today + VALID_MS)}`,
				"Preferred-Languages: en",
				`Canonical: ${baseUrl}${PATH}`,
				"",
			].join("\n");
			return new DocumentReply(
				{ content, mediaType: "text/plain; charset=utf-8" },
				{ untilMs: () => today + DAY_MS },
			);
		},
	});
}
