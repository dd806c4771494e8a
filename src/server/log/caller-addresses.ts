import { originalRequest } from "../../http/absolute-request.ts";
import type { CompletedRequest } from "../../http/completed-request.ts";
import { type AddressRange, clientAddress } from "../../lib/ip-address.ts";

/** The statuses whose callers' addresses are logged: a wrong credential, a forbidden call, a reached limit. */
const LOGGED = new Set([401, 403, 429]);

/** The addresses for `--log-addresses`. */
export class CallerAddresses {
	readonly #peerAddress: (request: Request) => string;
	readonly #trustedProxies: readonly AddressRange[];
	readonly #peers = new WeakMap<Request, string>();

	/** @param peerAddress returns the peer address of an open connection */
	constructor(
		peerAddress: (request: Request) => string,
		trustedProxies: readonly AddressRange[],
	) {
		this.#peerAddress = peerAddress;
		this.#trustedProxies = trustedProxies;
	}

	/** Records the peer of a new request: the connection may be closed before the response. */
	record(request: Request): void {
		this.#peers.set(request, this.#peerAddress(request));
	}

	/**
	 * Returns the caller's full address, of which limits use the network.
	 * @returns null if it is not logged
	 */
	of({ status, refused }: CompletedRequest, request: Request): string | null {
		if (!LOGGED.has(status) && !LOGGED.has(refused ?? 0)) return null;
		const peer = this.#peers.get(originalRequest(request)) ?? "";
		const forwardedFor = request.headers.get("x-forwarded-for");
		return clientAddress(peer, forwardedFor, this.#trustedProxies);
	}
}
