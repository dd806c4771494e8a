import type { SlotRequest } from "../lib/fair-limiter.ts";
import {
	type AddressRange,
	isAddress,
	isPublicAddress,
	isWithin,
} from "../lib/ip-address.ts";
import { ResortError } from "../lib/resort-error.ts";

/** The most deliveries to one host at a time. */
const MAX_OF_HOST = 2;

/** A URL with `//` and a host. The parser would also accept blanks and backslashes, which proxies may read in another way. */
const STRICT_URL =
	/^https?:\/\/(?!\/)(?:(?![\s\\#])[\x20-\x7e\xa0-\u{10ffff}])+$/iu;

/**
 * Returns the URL of a webhook normalised, as https://url.spec.whatwg.org specifies: hosts such as `0x7f.1` become the
 * address that they stand for, and internationalised names Punycode.
 * @param allowed addresses that need not be public, and may have `http:`
 * @throws ResortError `invalid` if no webhook may have it
 */
export function requireWebhookUrl(
	text: string,
	allowed: readonly AddressRange[],
): string {
	const url = STRICT_URL.test(text) ? URL.parse(text) : null;
	if (
		url === null ||
		url.username + url.password !== "" ||
		url.port === "0" ||
		(url.protocol === "http:" && allowed.length === 0)
	) {
		throw new ResortError("invalid", "url must be an https:// URL", {
			field: "url",
			hint: "It has a host, and no user name, password, fragment, blanks, backslashes or control characters.",
		});
	}
	url.hostname = url.hostname.replace(/\.$/, "");
	const host = hostOf(url);
	if (isAddress(host) && !isPublicAddress(host) && !isWithin(host, allowed)) {
		throw new ResortError(
			"invalid",
			"url must not have an address that is not public",
			{ field: "url" },
		);
	}
	return url.href;
}

/** Returns the host of a URL: a name or an address, without brackets. */
export function hostOf({ hostname }: URL): string {
	return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** Returns the slot that a delivery needs: agents are served in turn, and a host gets two deliveries at a time. */
export function slotOf(agentId: string, url: string): SlotRequest {
	const key = `host ${new URL(url).hostname}`;
	return { lane: agentId, limits: [{ key, limit: MAX_OF_HOST }] };
}
