import { type AddressRange, isWithin } from "../lib/address.ts";
import { HOUR_MS, SECOND_MS } from "../lib/clock.ts";
import { codeOf } from "../lib/failure.ts";
import type { Outcome } from "../resort/webhooks/deliveries/service.ts";
import { isPublic } from "./addresses.ts";
import type { Answer, WebhookNetwork } from "./network.ts";
import { readTarget, type Target } from "./target.ts";

/** How long an attempt may take, with all that belongs to it. */
export const ATTEMPT_MS = 15 * SECOND_MS;

/** The longest time for which a receiver can put the next attempt off. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** Failures after which the next address of a name is tried: nothing has been sent. */
const UNREACHED = /^(ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)$/;

/** The most addresses of a name that are tried. */
const MAX_TRIED = 4;

/** What is sent. */
export interface Message {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

/** How attempts go out. */
export interface Way {
	readonly network: WebhookNetwork;
	/** Addresses that are allowed although they are not public, and to which `http:` is allowed. */
	readonly allowed: readonly AddressRange[];
	/** {@link ATTEMPT_MS} when left out. */
	readonly attemptMs?: number;
}

/**
 * Makes one attempt: looks the name up, judges all of its addresses, and connects to one of those that were judged.
 * @param signal ends the attempt early
 * @throws the signal's reason when it was ended so, and no answer had come
 */
export async function attempt(
	way: Way,
	message: Message,
	signal: AbortSignal,
): Promise<Outcome> {
	const target = readTarget(message.url);
	if (typeof target === "string") return failed(`the URL ${target}`);
	const late = AbortSignal.timeout(way.attemptMs ?? ATTEMPT_MS);
	const ended = AbortSignal.any([signal, late]);
	try {
		const addresses = await beforeEnd(judgedAddresses(way, target), ended);
		if (addresses.length === 0) return failed(noAddress(target));
		return toOutcome(
			await sendToOne(way.network, target, addresses, message, ended),
		);
	} catch (error) {
		signal.throwIfAborted();
		if (late.aborted) return failed("no answer in time");
		return failed(`no answer (${codeOf(error) || "connection failed"})`);
	}
}

/** The addresses of a target when it may be called at all of them; else none. */
async function judgedAddresses(
	{ network, allowed }: Way,
	{ host, isName, isSecure }: Target,
): Promise<readonly string[]> {
	// A name that leads nowhere is told as one that leads inside, so that nobody learns which names there are.
	const addresses = isName
		? await network.resolve(host).catch(() => [])
		: [host];
	const isFine = (address: string) =>
		isWithin(address, allowed) || (isSecure && isPublic(address));
	return addresses.every(isFine) ? addresses : [];
}

function noAddress({ isSecure }: Target): string {
	return isSecure
		? "the host has no public address"
		: "the host has no address to which http: is allowed";
}

async function sendToOne(
	network: WebhookNetwork,
	target: Target,
	addresses: readonly string[],
	{ headers, body }: Message,
	signal: AbortSignal,
): Promise<Answer> {
	const tried = addresses.slice(0, MAX_TRIED);
	for (;;) {
		const address = tried.shift() ?? "";
		try {
			return await network.send({ target, address, headers, body, signal });
		} catch (error) {
			if (tried.length === 0 || !UNREACHED.test(codeOf(error))) throw error;
		}
	}
}

function toOutcome({ status, retryAfter }: Answer): Outcome {
	const isFine = status >= 200 && status < 300;
	return {
		status,
		failure: isFine ? null : `answered ${status}`,
		retryAfterMs: isFine ? 0 : readRetryAfter(retryAfter, Date.now()),
	};
}

/**
 * Reads a `Retry-After` field: seconds, or a date (RFC 9110, section 10.2.3).
 * @returns milliseconds from now, at most a day; 0 when it says nothing
 */
export function readRetryAfter(field: string | null, nowMs: number): number {
	if (field === null || !/^\d{1,12}$|GMT$/.test(field)) return 0;
	const ms = field.endsWith("GMT")
		? Date.parse(field) - nowMs
		: Number(field) * SECOND_MS;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0;
}

function failed(failure: string): Outcome {
	return { status: null, failure, retryAfterMs: 0 };
}

/** What a promise gives, unless a signal comes first; then it throws the signal's reason. */
function beforeEnd<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	const ended = Promise.withResolvers<never>();
	const end = () => ended.reject(signal.reason);
	signal.addEventListener("abort", end, { once: true });
	if (signal.aborted) end();
	return Promise.race([promise, ended.promise]).finally(() =>
		signal.removeEventListener("abort", end),
	);
}
