import type Net from "node:net";
import type Ipaddr from "ipaddr.js";
import { createCache } from "./bounded-cache.ts";
import { once } from "./once.ts";
import type { KeyLimit } from "./sliding-window.ts";
import { copyOf } from "./text.ts";

/** A range of addresses: the network and the length of its prefix in bits. */
export type AddressRange = [Ipaddr.IPv4 | Ipaddr.IPv6, number];

/** The libraries are loaded when the first address is parsed, so that they do not delay the startup. */
const library = once((): typeof Ipaddr => require("ipaddr.js"));
const net = once((): typeof Net => require("node:net"));

/** The cache of parsed addresses. Parsing takes 10 us, and most clients send more than one request. */
const parsed = createCache<Ipaddr.IPv4 | Ipaddr.IPv6>(1_000);

/** Parses an IP address without its zone. An IPv4-mapped address becomes IPv4. Null for other texts. */
function parseAddress(text: string): Ipaddr.IPv4 | Ipaddr.IPv6 | null {
	const cached = parsed.get(text);
	if (cached !== undefined) return cached;
	if (!isAddress(text)) return null;
	// The library refuses some valid zones (names of network interfaces), such as `br-0`.
	const [withoutZone = ""] = text.split("%");
	const address = library().process(withoutZone);
	if (withoutZone === text) parsed.set(copyOf(text), address);
	return address;
}

/** Parses an address or a CIDR range, such as `10.0.0.0/8`. Returns null for other texts. */
export function parseRange(text: string): AddressRange | null {
	const [network = ""] = text.split("/");
	const bits = network.includes(":") ? 128 : 32;
	const range = network === text ? `${text}/${bits}` : text;
	if (!isAddress(network) || !library().isValidCIDR(range)) return null;
	const [address, length] = library().parseCIDR(range);
	const mapped = library().process(network);
	if (mapped.kind() === address.kind()) return [address, length];
	return length < 96 ? null : [mapped, length - 96];
}

/** Whether a host name or address, with or without brackets, denotes this machine. */
export function isLoopback(host: string): boolean {
	return /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/.test(host);
}

/**
 * Returns the key by which limits count a client: its IPv4 address, or the /64 network of its IPv6 address.
 * @param peer the address at the other end of the connection: the client or a proxy
 * @param forwardedFor the request's `X-Forwarded-For`; null if it is missing
 * @param trusted the addresses of proxies whose `X-Forwarded-For` is trusted
 * @param onIgnored called with the reason if `X-Forwarded-For` does not contain the address of the client
 * @returns the peer unchanged if it is not an IP address
 */
export function clientKey(
	peer: string,
	forwardedFor: string | null,
	trusted: readonly AddressRange[],
	onIgnored?: (reason: string) => void,
): string {
	const address = findClient(peer, forwardedFor, trusted, onIgnored);
	if (address === null) return peer;
	if (address instanceof library().IPv4) return address.toString();
	const network = address.parts.slice(0, 4).map((part) => part.toString(16));
	return `${network.join(":")}::/64`;
}

/** Returns the whole address of the client that {@link clientKey} finds; null if `peer` is no IP address. */
export function clientAddress(
	peer: string,
	forwardedFor: string | null,
	trusted: readonly AddressRange[],
): string | null {
	const address = findClient(peer, forwardedFor, trusted);
	return address?.toString() ?? null;
}

/**
 * Returns the client's address: the peer or, if the peer is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not a trusted proxy. The search ends at an entry that is not an address.
 */
function findClient(
	peer: string,
	forwardedFor: string | null,
	trusted: readonly AddressRange[],
	onIgnored?: (reason: string) => void,
): Ipaddr.IPv4 | Ipaddr.IPv6 | null {
	let address = parseAddress(peer);
	if (address === null || !forwardedFor) return address;
	const entries = forwardedFor.split(",");
	if (!liesIn(address, trusted)) {
		// The public address of a client does not belong in the log.
		const sender = isPublicAddress(peer) ? "its sender" : peer;
		onIgnored?.(`${sender} is not in --trusted-proxies`);
	}
	while (entries.length > 0 && liesIn(address, trusted)) {
		const next = parseForwarded(entries.pop()?.trim() ?? "");
		if (next === null) {
			onIgnored?.("an entry is not an address");
			break;
		}
		address = next;
	}
	return address;
}

/** Parses an entry of `X-Forwarded-For`, to which some proxies add a port, and brackets around IPv6. */
function parseForwarded(text: string): Ipaddr.IPv4 | Ipaddr.IPv6 | null {
	const [, v6, v4] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
	return parseAddress(v6 ?? v4 ?? text);
}

/** An IPv6 /48 counts as this many networks. Providers assign up to a /48 to one customer (RFC 6177). */
export const NETWORKS_OF_48 = 10;

/** Returns the key of the /48 that contains a {@link clientKey}; null if that key is not an IPv6 network. */
export function wideNetworkOf(key: string): string | null {
	const [, site] = /^(.*):[0-9a-f]+::\/64$/.exec(key) ?? [];
	return site === undefined ? null : `${site}::/48`;
}

/**
 * Returns the keys under which a request or a task of a client is counted, with their limits. A request or a
 * task of an IPv6 client counts for its /64, and for its /48 with 10 times the limit.
 * @param key the {@link clientKey}
 */
export function networkLimits(key: string, limit: number): KeyLimit[] {
	const wider = wideNetworkOf(key);
	const own = { key, limit };
	return wider === null ? [own] : [own, { key: wider, limit: NETWORKS_OF_48 * limit }];
}

/** Whether a text is an address in one of the ranges. An IPv4-mapped IPv6 address is compared as IPv4. */
export function isWithin(text: string, ranges: readonly AddressRange[]): boolean {
	const address = parseAddress(text);
	return address !== null && liesIn(address, ranges);
}

/** The address of internal services in Azure. It is not public, although it is in a public range. */
const AZURE_SERVICES = "168.63.129.16";

/** Whether an address belongs to one host on the internet, according to the IANA registries in ipaddr.js. */
export function isPublicAddress(text: string): boolean {
	const address = text.includes("%") ? null : parseAddress(text);
	if (address?.range() !== "unicast") return false;
	// IANA assigns public IPv6 addresses only from 2000::/3. This range excludes IPv4-mapped addresses.
	return text.includes(":") ? liesIn(address, [[library().parse("2000::"), 3]]) : text !== AZURE_SERVICES;
}

/** Whether a text is an IP address in its usual notation. `1`, `0x7f.1` and `010.0.0.1` are not. */
export function isAddress(text: string): boolean {
	return net().isIP(text) !== 0;
}

function liesIn(address: Ipaddr.IPv4 | Ipaddr.IPv6, ranges: readonly AddressRange[]): boolean {
	return ranges.some(
		([network, prefix]) => network.kind() === address.kind() && address.match(network, prefix),
	);
}

/** Returns `text` if it has only characters that occur in IP addresses and host names; else undefined. */
export function hostName(text: string): string | undefined {
	return /^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined;
}
