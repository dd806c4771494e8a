import type { Logger } from "@logtape/logtape";
import { type AddressRange, isWithin } from "../lib/address.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { FairLimiter } from "../lib/fair-limiter.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { ServiceContext } from "../resort/context.ts";
import type { EventLog } from "../resort/events/event-log.ts";
import type { Webhooks } from "../resort/operation.ts";
import { isPublic } from "./addresses.ts";
import { ATTEMPT_MS, attempt, type Way } from "./attempt.ts";
import { Dispatcher, type Tally } from "./dispatcher.ts";
import type { LeaseTimes } from "./lease.ts";
import type { WebhookNetwork } from "./network.ts";
import { signedHeaders } from "./sign.ts";
import { readTarget, slotOf } from "./target.ts";

/** How many deliveries run at once, and how many wait: one of each active webhook, and those sent on request. */
const MAX_RUNNING = 20;
const MAX_WAITING = 20_000;

/** How webhooks are sent. */
export interface WebhookOptions {
	readonly network: WebhookNetwork;
	/** Addresses that are allowed although they are not public, and to which `http:` is allowed. */
	readonly allowed: readonly AddressRange[];
	/** From 0 to 1, for the times of further attempts: they are no secret, and no part of what a seed repeats. */
	readonly chance: () => number;
	/** 15 s when left out. */
	readonly attemptMs?: number;
	/** The usual ones when left out. */
	readonly leaseTimes?: LeaseTimes;
}

/** What sends webhooks, and the instance that starts and stops it. */
export interface WebhookSender extends Webhooks {
	/** How many attempts this instance has made. */
	readonly tally: Readonly<Tally>;
	start(): void;
	stop(): Promise<void>;
	/** Looks at what is due: the clock was moved. */
	clockMoved(): void;
	/** For how many seconds the oldest message has been due that was not taken. */
	oldestSeconds(): Promise<number>;
}

/** Makes what sends the webhooks of a resort; it is not started yet. */
export function createSender(
	context: ServiceContext,
	eventLog: EventLog,
	{ network, allowed, chance, attemptMs, leaseTimes }: WebhookOptions,
	log: Logger,
): WebhookSender {
	const limiter = new FairLimiter({
		running: MAX_RUNNING,
		waiting: MAX_WAITING,
	});
	const way: Way = {
		...{ network, allowed },
		...(attemptMs !== undefined && { attemptMs }),
	};
	const dispatcher = new Dispatcher({
		...{ context, eventLog, way, limiter, chance, log },
		...(leaseTimes && { leaseTimes }),
	});
	return {
		tally: dispatcher.tally,
		start: () => dispatcher.start(),
		stop: () => dispatcher.stop(),
		changed: (agentId) => dispatcher.changed(agentId),
		clockMoved: () => dispatcher.clockMoved(),
		oldestSeconds: () => dispatcher.oldestSeconds(),
		accept: (url) => acceptUrl(url, allowed),
		async send({ agentId, url, secret }, id, body) {
			const signal = AbortSignal.timeout(attemptMs ?? ATTEMPT_MS);
			const headers = signedHeaders(secret, id, body, Date.now());
			let hasBegun = false;
			try {
				return await limiter.run({ ...slotOf(agentId, url), signal }, () => {
					hasBegun = true;
					const never = new AbortController().signal;
					return attempt(way, { url, headers, body }, never);
				});
			} catch (error) {
				if (hasBegun) throw error;
				throw tooMuch();
			}
		},
	};
}

function acceptUrl(text: string, allowed: readonly AddressRange[]): string {
	const target = readTarget(text);
	if (typeof target === "string") throw wrongUrl(target);
	const { isSecure, isName, host, url } = target;
	if (!isSecure && allowed.length === 0) {
		throw wrongUrl("must be an https:// URL with a host");
	}
	if (!isName && !isPublic(host) && !isWithin(host, allowed)) {
		throw wrongUrl("must not have an address that is not public");
	}
	return url;
}

function wrongUrl(fault: string): ResortError {
	return new ResortError("invalid", `url ${fault}`, { field: "url" });
}

function tooMuch(): ResortError {
	return new ResortError("unavailable", "Too many webhooks are being sent", {
		hint: "Repeat the call later.",
		retryAfterSeconds: ATTEMPT_MS / SECOND_MS,
	});
}
