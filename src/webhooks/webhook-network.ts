import type { ClientRequest, IncomingMessage } from "node:http";
import type { Target } from "./webhook-url.ts";

/** The most bytes of a response body that are read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** The most interim responses (`100 Continue`, `103 Early Hints`). */
const MAX_INTERIM = 10;

/** A request to a receiver. */
export interface OutgoingRequest {
	readonly target: Target;
	/** Where to connect to; {@link Target.host} is only sent. */
	readonly address: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** Closes the connection; a response whose head has arrived still counts. */
	readonly signal: AbortSignal;
}

/** The parts of a response that matter. */
export interface ReceiverResponse {
	readonly status: number;
	readonly retryAfter: string | null;
}

/** Name resolution and connections; tests replace them. */
export interface WebhookNetwork {
	/**
	 * Returns the addresses of a name, in order of preference.
	 * @throws Error if it has none
	 */
	resolve(name: string): Promise<readonly string[]>;
	/**
	 * Sends a POST over a connection of its own and follows no redirect.
	 * @throws Error with a `code` if there is no response
	 */
	send(outgoing: OutgoingRequest): Promise<ReceiverResponse>;
}

/**
 * Returns the network of the machine. It does not use `fetch`, which uses the proxies of the environment and reuses
 * connections.
 * @param ca certificates to trust instead of the runtime's
 */
export function systemNetwork(ca?: readonly string[]): WebhookNetwork {
	return {
		async resolve(name) {
			const { lookup } = await import("node:dns/promises");
			const found = await lookup(name, { all: true });
			return found.map(({ address }) => address);
		},
		async send(outgoing) {
			const { target, address, headers } = outgoing;
			const { request } = await (target.isSecure
				? import("node:https")
				: import("node:http"));
			const sent = request({
				method: "POST",
				host: address,
				port: target.port,
				path: target.path,
				headers: { ...headers, host: target.authority },
				agent: false,
				...(target.isSecure && {
					// The certificate must be valid for this name, or for the address.
					servername: target.isName ? target.host : "",
					rejectUnauthorized: true,
					...(ca && { ca: [...ca] }),
				}),
			});
			return exchange(sent, outgoing);
		},
	};
}

function exchange(
	sent: ClientRequest,
	{ body, signal }: OutgoingRequest,
): Promise<ReceiverResponse> {
	return new Promise((resolve, reject) => {
		let interim = 0;
		let abort = () => {
			sent.destroy(failure("ABORTED"));
		};
		const onAbort = () => abort();
		const onInterim = () => {
			if (++interim > MAX_INTERIM) sent.destroy(failure("TOO_MANY_RESPONSES"));
		};
		sent.on("error", reject);
		sent.on("close", () => {
			signal.removeEventListener("abort", onAbort);
			reject(failure("ECONNRESET"));
		});
		sent.on("continue", onInterim);
		sent.on("information", onInterim);
		sent.on("upgrade", (_, socket) => {
			socket.destroy();
			reject(failure("UPGRADED"));
		});
		sent.on("response", (response) => {
			const done = () => {
				resolve(readHead(response));
				sent.destroy();
			};
			abort = done;
			let bytes = 0;
			response.on("data", (chunk: Buffer) => {
				bytes += chunk.length;
				if (bytes >= MAX_RESPONSE_BYTES) done();
			});
			for (const end of ["end", "error", "aborted", "close"]) {
				response.on(end, done);
			}
		});
		signal.addEventListener("abort", onAbort);
		if (signal.aborted) abort();
		else sent.end(body);
	});
}

function readHead({ statusCode, headers }: IncomingMessage): ReceiverResponse {
	return {
		status: statusCode ?? 0,
		retryAfter: headers["retry-after"] ?? null,
	};
}

function failure(code: string): Error {
	return Object.assign(new Error(code), { code });
}
