import { NETWORKS_OF_48, wideNetworkOf } from "./ip-address.ts";
import type { KeyLimit } from "./sliding-window.ts";

/**
 * Returns the keys under which a request from an address is counted, with their limits: an IPv6 request
 * counts for its /64, and for its /48 with 10 times the limit.
 * @param key the result of `clientKey`
 */
export function networkLimits(key: string, limit: number): KeyLimit[] {
	const wider = wideNetworkOf(key);
	const own = { key, limit };
	return wider === null ? [own] : [own, { key: wider, limit: NETWORKS_OF_48 * limit }];
}
