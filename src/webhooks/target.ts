import { isAddress } from "../lib/address.ts";
import type { SlotRequest } from "../lib/fair-limiter.ts";

/** The most deliveries to one host at a time. */
const MAX_OF_HOST = 2;

/** The longest name that DNS knows (RFC 1035, section 2.3.4). */
const MAX_NAME_LENGTH = 253;

/** Where a webhook goes. */
export interface Target {
	/** The whole URL in its one usual form. */
	readonly url: string;
	/** Whether it is `https:`. */
	readonly isSecure: boolean;
	/** A name or an address, without brackets. */
	readonly host: string;
	/** Whether {@link host} is a name, which has to be looked up. */
	readonly isName: boolean;
	readonly port: number;
	/** The `Host` field: the host, and the port when it is not the usual one. */
	readonly authority: string;
	/** With its query. */
	readonly path: string;
}

/**
 * Takes the URL of a webhook apart. Numbers that stand for an address (`0x7f.1`) become that address, other scripts
 * Punycode, as https://url.spec.whatwg.org says.
 * @returns what is wrong with it as the end of a sentence, when it is no URL that a webhook can have
 */
export function readTarget(text: string): Target | string {
	// The parser would forgive these, and programs in between might read them in another way.
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

/** Returns the slot that a delivery needs: agents take turns, and a host gets two deliveries at once. */
export function slotOf(agentId: string, url: string): SlotRequest {
	const target = readTarget(url);
	const host = typeof target === "string" ? "" : target.host;
	return {
		lane: agentId,
		limits: [{ key: `host ${host}`, limit: MAX_OF_HOST }],
	};
}
