import { HOUR_MS, SECOND_MS } from "../../core/lib/clock.ts";
import { codeOf } from "../../core/lib/error-reason.ts";
import { type AddressRange, isAddress, isPublicAddress, isWithin } from "../../core/lib/ip-address.ts";
import { invalid } from "../../core/lib/resort-error.ts";
import type { Outcome, Webhook } from "./model.ts";
import { signedHeaders } from "./webhook-message.ts";
import { hostOf, type ReceiverResponse, type WebhookNetwork } from "./webhook-network.ts";

/** The time limit for an attempt, including name resolution. */
export const ATTEMPT_MS = 15 * SECOND_MS;

/** The maximum delay that a receiver can request. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/**
 * Matches the codes of errors that occur before anything is sent. After such an error, the attempt continues
 * with the next address of the receiver.
 */
const UNREACHED = /^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)$/;

/** The maximum number of addresses of a receiver that one attempt tries. */
const MAX_ADDRESSES = 4;

/**
 * Matches a URL with `//` and a host. Unlike the URL parser, it accepts no blanks and backslashes, because
 * proxies may interpret them differently.
 */
const STRICT_URL = /^https?:\/\/(?!\/)(?:(?![\s\\#])[\x20-\x7e\xa0-\u{10ffff}])+$/iu;

/** A message with the URL and the secret of its webhook. */
export interface Message extends Pick<Webhook, "url" | "secret"> {
	/** The message id, which is the same for every attempt. */
	readonly id: string;
	readonly body: string;
}

/** The options of all attempts. */
export interface AttemptOptions {
	readonly network: WebhookNetwork;
	/**
	 * Addresses that are allowed even if they are not public. URLs with such an address may also use `http:`.
	 */
	readonly allowed: readonly AddressRange[];
	/** The time limit for an attempt; {@link ATTEMPT_MS} by default. */
	readonly attemptMs?: number;
}

/**
 * Returns the normalised URL of a webhook (https://url.spec.whatwg.org). For example, the host `0x7f.1`
 * becomes `127.0.0.1`, and an internationalised name becomes Punycode.
 * @param allowed addresses that are allowed even if they are not public; URLs with such an address may also
 * use `http:`
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
 * Makes one attempt to deliver a message: resolves the host name once, checks all addresses of the host, and
 * sends the message to one of them.
 * @throws the reason of `signal` if the signal is aborted before the response arrives
 */
export async function attempt(
	options: AttemptOptions,
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
async function checkAddresses({ network, allowed }: AttemptOptions, url: URL): Promise<readonly string[]> {
	const host = hostOf(url);
	// An unknown name has the same result as a name with a private address, so that clients cannot probe
	// internal names.
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
