import type { KeyLimit, SlotRequest } from "./fair-limiter.ts";
import { networksOf } from "./ip-address.ts";

/**
 * Returns the keys that a request of an address counts for, with their limits. Providers give one customer up to a /48
 * (RFC 6177), so an IPv6 request counts for its /64, for its /56 with 4 times the limit, and for its /48 with 10 times.
 * @param key from `clientKey`
 */
export function networkLimits(key: string, limit: number): KeyLimit[] {
	const networks = networksOf(key);
	const own = { key, limit };
	if (networks === null) return [own];
	return [
		own,
		{ key: networks[56], limit: 4 * limit },
		{ key: networks[48], limit: 10 * limit },
	];
}

/**
 * Returns the slot that a request of an address needs. The networks around it are lanes too, so that a customer with many
 * /64 networks does not hold up others.
 * @param key from `clientKey`
 * @param limit of concurrent requests, as in {@link networkLimits} (none when left out)
 */
export function networkSlot(
	key: string,
	limit = Number.POSITIVE_INFINITY,
): SlotRequest {
	return { lanes: networkLimits(key, limit) };
}
