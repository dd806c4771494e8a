import { isUnicast, isWithin, parseRange } from "../lib/ip-address.ts";

/** The IPv6 addresses that IANA assigns: those that stand for an IPv4 address lie outside. */
const globalUnicast = ranges("2000::/3");

/** Azure's internal services, which lie in a public range. */
const internalServices = ranges("168.63.129.16");

/** Whether an address is that of one host on the public internet. */
export function isPublicAddress(address: string): boolean {
	if (address.includes("%") || !isUnicast(address)) return false;
	return address.includes(":")
		? isWithin(address, globalUnicast)
		: !isWithin(address, internalServices);
}

function ranges(text: string) {
	const range = parseRange(text);
	return range === null ? [] : [range];
}
