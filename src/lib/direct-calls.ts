import { networkInterfaces } from "node:os";
import { isLoopback } from "./ip-address.ts";
import { once } from "./once.ts";

const ownAddresses = once(() =>
	Object.values(networkInterfaces()).flatMap((all) => all ?? []),
);

/**
 * Returns the option `proxy` of `fetch` for a URL: false for an address of this machine. Another machine, such as the
 * proxy in the variable `HTTP_PROXY`, could not reach it.
 */
export function proxyFor(url: string): false | undefined {
	const host = new URL(url).hostname.replaceAll(/[[\]]/g, "");
	const isOwn =
		isLoopback(host) || ownAddresses().some(({ address }) => address === host);
	return isOwn ? false : undefined;
}
