import type { IncomingMessage } from "node:http";
import { HOUR_MS, SECOND_MS } from "../../core/lib/clock.ts";
import { codeOf } from "../../core/lib/error-reason.ts";
import { type AddressRange, isAddress, isPublicAddress, isWithin } from "../../core/lib/ip-address.ts";
import { invalid } from "../../core/lib/resort-error.ts";
import type { Outcome, Webhook } from "./model.ts";
import { signedHeaders } from "./webhook-message.ts";

/** The time limit for an attempt, including name resolution. */
export const ATTEMPT_MS = 15 * SECOND_MS;

/** The maximum delay that a receiver can request. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** Matches the errors that occur before anything is sent: after these, the attempt tries the next address. */
const UNREACHED = /^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)$/;

/** The maximum number of addresses of a receiver that one attempt tries. */
const MAX_ADDRESSES = 4;

/** Matches a URL without white space, `\` and `#`, because proxies may interpret such URLs differently. */
const STRICT_URL = /^https?:\/\/(?!\/)(?:(?![\s\\#])[\x20-\x7e\xa0-\u{10ffff}])+$/iu;

/** A message with the URL and the secret of its webhook. */
export interface Message extends Pick<Webhook, "url" | "secret"> {
	/** The message id, which is the same for every attempt. */
	readonly id: string;
	readonly body: string;
}

/** The options of webhooks. */
export interface WebhookOptions {
	readonly network: WebhookNetwork;
	/** Addresses that are allowed even if they are not public, and even with `http:`. */
	readonly allowed: readonly AddressRange[];
	/** The time limit for an attempt; {@link ATTEMPT_MS} by default. */
	readonly attemptMs?: number;
	/** Returns a random number from 0 to 1 for the jitter, which need not be secret; by default always 0. */
	readonly chance?: () => number;
	/** The interval at which the lease is renewed. */
	readonly leaseEveryMs?: number;
}

/**
 * Returns the normalised URL of a webhook (https://url.spec.whatwg.org): `0x7f.1` becomes `127.0.0.1`.
 * @param allowed as in {@link WebhookOptions}
 * @throws ResortError `invalid` if webhooks must not use this URL
 */
export function requireWebhookUrl(text: string, allowed: readonly AddressRange[]): string {
	const url = STRICT_URL.test(text) ? URL.parse(text) : null;
	if (
		url === null ||
		url.username + url.password !== "" ||
		url.port === "0" ||
		(url.protocol === "http:" && allowed.length === 0)
	) {
		throw invalid("url must be an https:// URL", {
			field: "url",
			hint: "It must have a host, and must not contain a user name, password, fragment, spaces, backslashes or control characters.",
		});
	}
	url.hostname = url.hostname.replace(/\.$/, "");
	const host = hostOf(url);
	if (isAddress(host) && !isPublicAddress(host) && !isWithin(host, allowed)) {
		throw invalid("url must have a public address", { field: "url" });
	}
	return url.href;
}

/**
 * Resolves the host name once, checks all its addresses, and sends the message to one of them.
 * @throws the reason of `signal` if the signal is aborted before the response arrives
 */
export async function attempt(
	options: WebhookOptions,
	{ url: text, secret, id, body }: Message,
	signal: AbortSignal,
): Promise<Outcome> {
	const url = new URL(text);
	const headers = signedHeaders(secret, id, body, Date.now());
	signal.throwIfAborted();
	const timeout = AbortSignal.timeout(options.attemptMs ?? ATTEMPT_MS);
	const ended = AbortSignal.any([signal, timeout]);
	const aborted = Promise.withResolvers<never>();
	ended.addEventListener("abort", () => aborted.reject(ended.reason));
	try {
		// Name resolution cannot be aborted, so an abort ends only the wait for it.
		const addresses = await Promise.race([checkAddresses(options, url), aborted.promise]);
		if (addresses.length === 0) {
			return failed(
				url.protocol === "https:"
					? "the host has no public address"
					: "http: is not allowed for any address of the host",
			);
		}
		const { status, retryAfter } = await sendToFirst(addresses, (address) =>
			options.network.send({ url, address, headers, body, signal: ended }),
		);
		const isAccepted = status >= 200 && status < 300;
		return {
			status,
			failure: isAccepted ? null : `returned ${status}`,
			retryAfterMs: isAccepted ? 0 : readRetryAfter(retryAfter, Date.now()),
		};
	} catch (error) {
		signal.throwIfAborted();
		if (timeout.aborted) return failed("no response in time");
		return failed(`no response (${codeOf(error) || "connection failed"})`);
	}
}

/** Returns the addresses of a URL's host if all of them are allowed, else an empty list. */
async function checkAddresses({ network, allowed }: WebhookOptions, url: URL): Promise<readonly string[]> {
	const host = hostOf(url);
	// An unknown name counts as a name with a private address, so that clients cannot probe internal names.
	const addresses = isAddress(host) ? [host] : await network.resolve(host).catch(() => []);
	const isAllowed = (address: string) =>
		isWithin(address, allowed) || (url.protocol === "https:" && isPublicAddress(address));
	return addresses.every(isAllowed) ? addresses : [];
}

/** Sends the message to the first address that is reachable. */
async function sendToFirst(
	addresses: readonly string[],
	send: (address: string) => Promise<ReceiverResponse>,
): Promise<ReceiverResponse> {
	const [address = "", ...others] = addresses.slice(0, MAX_ADDRESSES);
	try {
		return await send(address);
	} catch (error) {
		if (others.length === 0 || !UNREACHED.test(codeOf(error))) throw error;
		return sendToFirst(others, send);
	}
}

/**
 * Parses a `Retry-After` field, which is a number of seconds or a date (RFC 9110, section 10.2.3).
 * @returns milliseconds from now, at most one day; 0 if the field is missing or invalid
 */
export function readRetryAfter(field: string | null, nowMs: number): number {
	if (field === null || !/^\d{1,12}$|GMT$/.test(field)) return 0;
	const ms = field.endsWith("GMT") ? Date.parse(field) - nowMs : Number(field) * SECOND_MS;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0;
}

function failed(failure: string): Outcome {
	return { status: null, failure, retryAfterMs: 0 };
}

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
	/** Closes the connection when it is aborted. A status that arrived before the abort is still returned. */
	readonly signal: AbortSignal;
}

/** The parts of a response that deliveries use. */
interface ReceiverResponse {
	readonly status: number;
	readonly retryAfter: string | null;
}

/** Name resolution and connections. Tests replace them. */
export interface WebhookNetwork {
	/** Returns the addresses of a host name, in order of preference. @throws Error if it has none */
	resolve(name: string): Promise<readonly string[]>;
	/**
	 * Sends a POST request over a new connection, without redirects, and discards the body of the response.
	 * @throws Error with a `code` if there is no response
	 */
	send(outgoing: OutgoingRequest): Promise<ReceiverResponse>;
}

/** Returns the host of a URL: a name, or an address without brackets. */
function hostOf({ hostname }: URL): string {
	return hostname.replace(/^\[(.*)\]$/, "$1");
}

/**
 * Returns the network of this machine. Does not use `fetch`, which would use the proxies in the environment
 * and reuse connections.
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

/**
 * Discards a response body, at most {@link MAX_RESPONSE_BYTES}, so that the receiver can finish sending it.
 */
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
