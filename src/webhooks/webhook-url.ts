import type { SlotRequest } from "../lib/fair-limiter.ts";
import {
	type AddressRange,
	isAddress,
	isPublicAddress,
	isWithin,
} from "../lib/ip-address.ts";
import { ResortError } from "../lib/resort-error.ts";

/** The longest DNS name (RFC 1035, section 2.3.4). */
const MAX_NAME_LENGTH = 253;

/** The most deliveries to one host at a time. */
const MAX_OF_HOST = 2;

/** The parts of a webhook's URL. */
export interface Target {
	/** The whole URL, normalised. */
	readonly url: string;
	/** Whether it is `https:`. */
	readonly isSecure: boolean;
	/** A name or an address, without brackets. */
	readonly host: string;
	/** Whether {@link host} is a name. */
	readonly isName: boolean;
	readonly port: number;
	/** The `Host` field: the host, with a port that is not the default. */
	readonly authority: string;
	/** The path and the query. */
	readonly path: string;
}

/**
 * Parses the URL of a webhook. Hosts such as `0x7f.1` become the address that they stand for, and internationalised
 * names Punycode, as https://url.spec.whatwg.org specifies.
 * @returns the end of an error message if no webhook may have this URL
 */
export function readTarget(text: string): Target | string {
	// The parser would accept these, and proxies might read them in another way.
	if (/[\s\\]|[^\x20-\x7e\xa0-\u{10ffff}]/u.test(text)) {
		return "must not contain blanks, backslashes or control characters";
	}
	const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
	if (url === null) return "must be an https:// URL with a host";
	if (url.username !== "" || url.password !== "") {
		return "must not contain a user name or password";
	}
	if (text.includes("#")) return "must not have a fragment";
	url.hostname = url.hostname.replace(/\.$/, "");
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	if (host.length > MAX_NAME_LENGTH || /^\.|\.\.|\.$/.test(host)) {
		return "must have a host that is a name or an address";
	}
	if (url.port === "0") return "must not have the port 0";
	const isSecure = url.protocol === "https:";
	return {
		url: url.href,
		isSecure,
		host,
		isName: !isAddress(host),
		port: Number(url.port || (isSecure ? 443 : 80)),
		authority: url.host,
		path: url.pathname + url.search,
	};
}

/**
 * Returns a URL normalised.
 * @param allowed addresses that need not be public, and may have `http:`
 * @throws ResortError `invalid` if no webhook may have it
 */
export function requireWebhookUrl(
	text: string,
	allowed: readonly AddressRange[],
): string {
	const target = readTarget(text);
	if (typeof target === "string") throw invalidUrl(target);
	const { isSecure, isName, host, url } = target;
	if (!isSecure && allowed.length === 0) {
		throw invalidUrl("must be an https:// URL with a host");
	}
	if (!isName && !isPublicAddress(host) && !isWithin(host, allowed)) {
		throw invalidUrl("must not have an address that is not public");
	}
	return url;
}

function invalidUrl(reason: string): ResortError {
	return new ResortError("invalid", `url ${reason}`, { field: "url" });
}

/** Returns the slot that a delivery needs: agents are served in turn, and a host gets two deliveries at a time. */
export function slotOf(agentId: string, url: string): SlotRequest {
	const target = readTarget(url);
	const host = typeof target === "string" ? "" : target.host;
	return {
		lane: agentId,
		limits: [{ key: `host ${host}`, limit: MAX_OF_HOST }],
	};
}
