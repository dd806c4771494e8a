import type Ipaddr from "ipaddr.js";
import { BoundedCache } from "./bounded-cache.ts";
import { once } from "./once.ts";
import { copyOf } from "./text.ts";

/** A range of addresses: the network and the length of its prefix in bits. */
export type AddressRange = [Ipaddr.IPv4 | Ipaddr.IPv6, number];

/** Loaded at the first use, to be ready sooner: few need it before their first call. */
const library = once((): typeof Ipaddr => require("ipaddr.js"));

/** Parsed addresses: parsing one takes 10 us, and most callers call again. */
const known = new BoundedCache<Ipaddr.IPv4 | Ipaddr.IPv6>({
	maxEntries: 1_000,
});

/**
 * Reads one address; an IPv4-mapped IPv6 address is the IPv4 one.
 * @returns null when the text is no address
 */
function parseAddress(text: string): Ipaddr.IPv4 | Ipaddr.IPv6 | null {
	const before = known.get(text);
	if (before !== undefined) return before;
	if (versionOf(text) === null) return null;
	const address = library().process(text);
	known.set(copyOf(text), address);
	return address;
}

/** The version of an address in its usual form; ipaddr.js alone would also read "1", "0x7f.1" and "::01.2.3.4". */
function versionOf(text: string): 4 | 6 | null {
	const { IPv4, IPv6 } = library();
	if (IPv4.isValidFourPartDecimal(text)) return 4;
	const [end = ""] = text.slice(text.lastIndexOf(":") + 1).split("%");
	const isUsual = !end.includes(".") || IPv4.isValidFourPartDecimal(end);
	return isUsual && IPv6.isValid(text) ? 6 : null;
}

/**
 * Reads an address or a CIDR range: `10.0.0.1`, `10.0.0.0/8`, `2001:db8::/32`.
 * @returns null when the text is neither
 */
export function parseRange(text: string): AddressRange | null {
	const [network = "", prefix, ...more] = text.split("/");
	const version = versionOf(network);
	if (version === null || more.length > 0) return null;
	const ipaddr = library();
	const address = ipaddr.parse(network);
	const bits = version === 4 ? 32 : 128;
	if (prefix === undefined) {
		const plain = ipaddr.process(network);
		return [plain, bitsOf(plain)];
	}
	if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return null;
	if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
		return Number(prefix) < 96
			? null
			: [address.toIPv4Address(), Number(prefix) - 96];
	}
	return [address, Number(prefix)];
}

/**
 * Whether a host is this machine's own: `localhost`, an address of 127.0.0.0/8, or `::1`, as in a URL with
 * or without brackets.
 */
export function isLoopback(host: string): boolean {
	return /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/.test(host);
}

/**
 * The key that limits count a caller by: its IPv4 address, or the /64 of its IPv6 one, as {@link findClient} tells it.
 * @returns the peer itself when that is no address
 */
export function clientKey(
	peer: string,
	forwardedFor: string | null,
	trusted: readonly AddressRange[],
): string {
	const address = findClient(peer, forwardedFor, trusted);
	if (address === null) return peer;
	if (address instanceof library().IPv4) return address.toString();
	const network = address.parts.slice(0, 4).map((part) => part.toString(16));
	return `${network.join(":")}::/64`;
}

/**
 * The whole address of the caller that {@link clientKey} counts, without a zone.
 * @returns null when the peer is no address
 */
export function clientAddress(
	peer: string,
	forwardedFor: string | null,
	trusted: readonly AddressRange[],
): string | null {
	const address = findClient(peer, forwardedFor, trusted);
	return address?.toString().replace(/%.*/, "") ?? null;
}

/**
 * The caller's address: the peer, or, when the peer is a trusted proxy, the right-most address of `X-Forwarded-For`
 * that is not a trusted proxy's. An entry that is no address ends the search.
 */
function findClient(
	peer: string,
	forwardedFor: string | null,
	trusted: readonly AddressRange[],
): Ipaddr.IPv4 | Ipaddr.IPv6 | null {
	let address = parseAddress(peer);
	if (address === null) return null;
	const forwarded = forwardedFor?.split(",") ?? [];
	while (liesIn(address, trusted)) {
		const next = parseAddress(forwarded.pop()?.trim() ?? "");
		if (next === null) break;
		address = next;
	}
	return address;
}

/**
 * The larger networks in which an IPv6 caller lies.
 * @param key of {@link clientKey}
 * @returns their keys by the length of the prefix, or null when the key is not that of an IPv6 /64
 */
export function networksOf(
	key: string,
): Readonly<Record<56 | 48, string>> | null {
	const match = /^(.*):([0-9a-f]+)::\/64$/.exec(key);
	if (match === null) return null;
	const [, site = "", subnet = ""] = match;
	const upper = Number.parseInt(subnet, 16) & 0xff00;
	return { 56: `${site}:${upper.toString(16)}::/56`, 48: `${site}::/48` };
}

/**
 * Whether an address lies in one of some ranges; an IPv4-mapped IPv6 address lies where the IPv4 one does.
 * @returns false when the text is no address
 */
export function isWithin(
	text: string,
	ranges: readonly AddressRange[],
): boolean {
	const address = parseAddress(text);
	return address !== null && liesIn(address, ranges);
}

/**
 * Whether an address lies in none of the special-purpose ranges of IANA's registries (private, loopback, multicast
 * and so on); an IPv4-mapped IPv6 address is judged as the IPv4 one.
 */
export function isUnicast(text: string): boolean {
	return parseAddress(text)?.range() === "unicast";
}

/** Whether a text is an address, and no name. */
export function isAddress(text: string): boolean {
	return versionOf(text) !== null;
}

function liesIn(
	address: Ipaddr.IPv4 | Ipaddr.IPv6,
	ranges: readonly AddressRange[],
): boolean {
	return ranges.some(
		([network, prefix]) =>
			network.kind() === address.kind() && address.match(network, prefix),
	);
}

function bitsOf(address: Ipaddr.IPv4 | Ipaddr.IPv6): number {
	return address.kind() === "ipv4" ? 32 : 128;
}

/**
 * An IP address or a host name, judged by its characters alone.
 * @returns undefined when the text is neither
 */
export function hostName(text: string): string | undefined {
	return /^[A-Za-z0-9.:_-]+$/.test(text) ? text : undefined;
}
