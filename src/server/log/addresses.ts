import type { Exchange } from "../../http/exchange.ts";
import { asItCame } from "../../http/whole.ts";
import { type AddressRange, clientAddress } from "../../lib/address.ts";

/** The answers whose callers' addresses are logged: a wrong credential, what is forbidden, and too much. */
const LOGGED = new Set([401, 403, 429]);

/** The addresses that `--log-addresses` logs. */
export class Addresses {
	readonly #peerAddress: (request: Request) => string;
	readonly #trustedProxies: readonly AddressRange[];
	readonly #peers = new WeakMap<Request, string>();

	/** @param peerAddress tells the other end of a connection while it is there */
	constructor(
		peerAddress: (request: Request) => string,
		trustedProxies: readonly AddressRange[],
	) {
		this.#peerAddress = peerAddress;
		this.#trustedProxies = trustedProxies;
	}

	/** Notes where a request comes from when it arrives: a caller may be gone before it is answered. */
	note(request: Request): void {
		this.#peers.set(request, this.#peerAddress(request));
	}

	/**
	 * The whole address of the caller that limits count by.
	 * @returns null when it is not logged
	 */
	of({ status, refused }: Exchange, request: Request): string | null {
		if (!LOGGED.has(status) && !LOGGED.has(refused ?? 0)) return null;
		const peer = this.#peers.get(asItCame(request)) ?? "";
		const forwardedFor = request.headers.get("x-forwarded-for");
		return clientAddress(peer, forwardedFor, this.#trustedProxies);
	}
}
