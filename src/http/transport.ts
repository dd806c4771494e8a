import type { AddressRange } from "../lib/ip-address.ts";
import type { Pipeline } from "../pipeline/handle.ts";
import type { RequestObserver } from "./completed-request.ts";
import type { CreateLargeResponse } from "./send-response.ts";

/** The server that requests come from. */
export interface HttpServer {
	/** Returns the address at the other end of a request's connection. */
	readonly peerAddress: (request: Request) => string;
	readonly trustedProxies: readonly AddressRange[];
	/** Sets the idle timeout of a request's connection. */
	readonly setTimeout: (request: Request, seconds: number) => void;
	readonly createLargeResponse: CreateLargeResponse;
	/** Null if no request is observed. */
	readonly observer: RequestObserver | null;
}

/** What every HTTP interface works with. */
export interface Transport {
	readonly pipeline: Pipeline;
	readonly server: HttpServer;
}
