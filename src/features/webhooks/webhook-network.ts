import type { IncomingMessage } from "node:http";
import { isAddress } from "../../core/lib/ip-address.ts";

/** The maximum number of bytes of a response body that are read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** The maximum number of interim responses (`100 Continue`, `103 Early Hints`). */
const MAX_INTERIM = 10;

/** A request to a receiver. */
export interface OutgoingRequest {
	readonly url: URL;
	/** The IP address to connect to. The host name in the URL is used only for the `Host` field and for TLS. */
	readonly address: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/**
	 * Closes the connection when the signal is aborted. If the status line and the header fields have already
	 * arrived, the response still counts.
	 */
	readonly signal: AbortSignal;
}

/** The parts of a response that deliveries use. */
export interface ReceiverResponse {
	readonly status: number;
	readonly retryAfter: string | null;
}

/** Name resolution and connections. Tests replace them. */
export interface WebhookNetwork {
	/**
	 * Returns the addresses of a host name, in order of preference.
	 * @throws Error if the name has no address
	 */
	resolve(name: string): Promise<readonly string[]>;
	/**
	 * Sends a POST request over a new connection. Does not follow redirects, and discards the body of the
	 * response.
	 * @throws Error with a `code` if there is no response
	 */
	send(outgoing: OutgoingRequest): Promise<ReceiverResponse>;
}

/** Returns the host of a URL: a name, or an address without brackets. */
export function hostOf({ hostname }: URL): string {
	return hostname.replace(/^\[(.*)\]$/, "$1");
}

/**
 * Returns the network of this machine. It does not use `fetch`, because `fetch` uses the proxies of the
 * environment and reuses connections.
 * @param ca certificate authorities to trust instead of those of the runtime
 */
export function systemNetwork(ca?: readonly string[]): WebhookNetwork {
	return {
		async resolve(name) {
			const { lookup } = await import("node:dns/promises");
			const entries = await lookup(name, { all: true });
			return entries.map(({ address }) => address);
		},
		send: (outgoing) => send(outgoing, ca),
	};
}

async function send(
	{ url, address, headers, body, signal }: OutgoingRequest,
	ca?: readonly string[],
): Promise<ReceiverResponse> {
	const isSecure = url.protocol === "https:";
	const { request } = await (isSecure ? import("node:https") : import("node:http"));
	const host = hostOf(url);
	const sent = request({
		method: "POST",
		host: address,
		port: url.port || (isSecure ? 443 : 80),
		path: url.pathname + url.search,
		headers: { ...headers, host: url.host },
		agent: false,
		signal,
		...(isSecure && {
			// The certificate must be valid for the name or, if the URL contains an address, for the address.
			servername: isAddress(host) ? "" : host,
			rejectUnauthorized: true,
			...(ca && { ca: [...ca] }),
		}),
	});
	let interim = 0;
	const onInterim = () => {
		if (++interim > MAX_INTERIM) sent.destroy(failure("TOO_MANY_RESPONSES"));
	};
	try {
		const response = await new Promise<IncomingMessage>((resolve, reject) => {
			sent.on("continue", onInterim);
			sent.on("information", onInterim);
			sent.on("upgrade", () => reject(failure("UPGRADED")));
			sent.on("response", resolve);
			sent.on("error", reject);
			sent.on("close", () => reject(failure("ECONNRESET")));
			sent.end(body);
		});
		await skipBody(response);
		return { status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] ?? null };
	} finally {
		sent.destroy();
	}
}

/** Discards a response body, at most {@link MAX_RESPONSE_BYTES}, so that the receiver can finish sending it. */
async function skipBody(response: IncomingMessage): Promise<void> {
	let bytes = 0;
	try {
		for await (const chunk of response) {
			bytes += chunk.length;
			if (bytes >= MAX_RESPONSE_BYTES) return;
		}
	} catch {
		// An error here is ignored, because the status is known and nothing else is needed.
	}
}

function failure(code: string): Error {
	return Object.assign(new Error(code), { code });
}
