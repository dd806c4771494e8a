import { type AddressRange, isWithin, parseRange } from "../lib/address.ts";

const everyIpv4 = ranges("0.0.0.0/0");

/**
 * IPv4 addresses that are not on the public internet, or not of one host there: the registry of special-purpose
 * addresses (https://www.iana.org/assignments/iana-ipv4-special-registry), multicast, and what is left of class E.
 */
const special4 = ranges(
	"0.0.0.0/8",
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.0.0.0/24",
	"192.0.2.0/24",
	"192.31.196.0/24",
	"192.52.193.0/24",
	"192.88.99.0/24",
	"192.168.0.0/16",
	"192.175.48.0/24",
	"198.18.0.0/15",
	"198.51.100.0/24",
	"203.0.113.0/24",
	"224.0.0.0/3",
	// The services that machines of a large cloud find at this address are not of the internet either.
	"168.63.129.16",
);

/** All IPv6 addresses that are given out: those that stand for IPv4 ones, private and multicast ones lie outside. */
const globalUnicast = ranges("2000::/3");

/** Those among them that are special (https://www.iana.org/assignments/iana-ipv6-special-registry). */
const special6 = ranges(
	// Teredo, benchmarks, ORCHID.
	"2001::/23",
	"2001:db8::/32",
	// 6to4.
	"2002::/16",
	"2620:4f:8000::/48",
	"3fff::/20",
);

/**
 * Whether an address is that of one host on the public internet. Those of IPv6 that stand for an IPv4 address are
 * not, whichever it is.
 */
export function isPublic(address: string): boolean {
	if (address.includes("%")) return false;
	return address.includes(":")
		? isWithin(address, globalUnicast) && !isWithin(address, special6)
		: isWithin(address, everyIpv4) && !isWithin(address, special4);
}

function ranges(...texts: readonly string[]): AddressRange[] {
	return texts.map(parseRange).filter((range) => range !== null);
}
