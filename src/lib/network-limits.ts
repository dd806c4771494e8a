import type { KeyLimit, SlotRequest } from "./fair-limiter.ts";
import { networksOf } from "./ip-address.ts";

/**
 * Returns the keys under which a request from an address is counted, with their limits. Providers assign up
 * to a /48 to one customer (RFC 6177). So an IPv6 request counts for its /64, for its /56 with 4 times the
 * limit, and for its /48 with 10 times the limit.
 * @param key the result of `clientKey`
 */
export function networkLimits(key: string, limit: number): KeyLimit[] {
	const networks = networksOf(key);
	const own = { key, limit };
	if (networks === null) return [own];
	return [own, { key: networks[56], limit: 4 * limit }, { key: networks[48], limit: 10 * limit }];
}

/**
 * Returns the request for a slot of a `FairLimiter`, on behalf of a client address. The networks that contain
 * the address are lanes too, so a customer with many /64 networks cannot block others.
 * @param key the result of `clientKey`
 * @param limit the maximum number of concurrent requests, applied as in {@link networkLimits}; unlimited by
 * default
 */
export function networkSlot(key: string, limit = Number.POSITIVE_INFINITY): SlotRequest {
	return { lanes: networkLimits(key, limit) };
}
