import { type Clock, MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { inWords } from "../lib/duration.ts";
import { networkLimits } from "../lib/network-limits.ts";
import { mapValues } from "../lib/record.ts";
import { ResortError } from "../lib/resort-error.ts";
import { type KeyLimit, SlidingWindow, type Verdict, type Window } from "../lib/sliding-window.ts";
import type { Caller } from "../resort/caller.ts";
import { DEEP_OFFSET, type LimitName, limits, limitsOfAdditions } from "../resort/limits.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import type { Store } from "../store/store.ts";
import type { Answer, Call, ValidCall } from "./call.ts";
import type { FailureAnswers } from "./failure-answer.ts";

/**
 * The maximum number of keys (addresses or agents) that each limit stores. If all limits are full, those by
 * address use 80 MB of memory together, and those by agent 200 MB.
 */
const MAX_KEYS = { address: 70_000, agent: 200_000 } as const;

/** The result of counting a call towards a limit. */
interface CountedCall extends Verdict {
	readonly name: LimitName;
	/** The number of calls that the limit allows in its window. */
	readonly limit: number;
	/** The keys under which the call was counted. */
	readonly keys: readonly KeyLimit[];
}

/** Counts calls by the rate limits of their operations. */
export class RateLimits {
	readonly windows: Readonly<Record<LimitName, Window>>;
	/** The number of refused calls, by limit. */
	readonly refused: Record<LimitName, number> = mapValues(limits, () => 0);

	/** @param factor multiplies all limits; 0 disables them */
	constructor(
		private readonly clock: Clock,
		private readonly factor: number,
		createWindow: Store["createWindow"],
	) {
		this.windows = mapValues(
			limits,
			({ windowMs, key }, name) =>
				createWindow?.(name, windowMs) ?? new SlidingWindow(windowMs, MAX_KEYS[key]),
		);
	}

	/** Counts a call towards a limit. Returns null if `name` is undefined or limits are disabled. */
	async count(name: LimitName | undefined, call: Call, caller: Caller | null): Promise<CountedCall | null> {
		if (name === undefined || this.factor === 0) return null;
		const { key } = limits[name];
		const limit = Math.max(1, Math.round(limits[name].limit * this.factor));
		const keys =
			key === "address"
				? networkLimits(call.address(), limit)
				: [{ key: caller?.agent.id ?? call.address(), limit }];
		const verdict = await this.windows[name].admit(keys, this.clock());
		if (!verdict.admitted) this.refused[name]++;
		return { ...verdict, name, limit, keys };
	}

	/** Undoes the counting of a call. Returns the new state of its limit. */
	async refund(counted: CountedCall): Promise<CountedCall> {
		const { name, keys, remaining } = counted;
		await this.windows[name].refund(keys, this.clock());
		return { ...counted, remaining: remaining + 1 };
	}

	/** Resets all limits. */
	async clear(): Promise<void> {
		for (const window of Object.values(this.windows)) await window.clear();
	}
}

/** The services that {@link limit} uses. */
interface LimitServices {
	readonly context: ServiceContext;
	readonly rateLimits: RateLimits;
	readonly failures: FailureAnswers;
}

/**
 * Counts a call towards its rate limits, and runs it if they admit it. The counting is undone if the call was
 * a repetition, and as far as its failure requires.
 * @param run returns the answer of the call; errors become answers here
 * @returns the answer, also of a failure, with the state of the call's limit
 * @throws ResortError `full` if the call adds rows and the resort is full
 */
export async function limit(
	{ context, rateLimits, failures }: LimitServices,
	call: Call,
	{ input, adds }: ValidCall,
	run: () => Promise<Answer>,
): Promise<Answer> {
	const { limit: ordinary } = call.operation;
	const name = Number(call.query.offset) > DEEP_OFFSET ? "deep-page" : ordinary;
	if (name === undefined && !adds) return run();
	if (adds) context.capacity.requireRoom();
	let counted = await rateLimits.count(name, call, input.caller);
	let addition: CountedCall | null = null;
	// Without the deadline of the request, because a call also fails if the deadline has passed.
	const refund = (one: CountedCall) => context.store.withoutDeadline(() => rateLimits.refund(one));
	try {
		requireAdmitted(counted);
		if (adds && ordinary) addition = await rateLimits.count(limitsOfAdditions[ordinary], call, input.caller);
		requireAdmitted(addition);
		const answer = await run();
		if (counted === null) return answer;
		if (answer.isRepeated) {
			counted = await refund(counted);
			if (addition !== null) await refund(addition);
		}
		return { ...answer, headers: { ...rateLimitHeaders(counted), ...answer.headers } };
	} catch (error) {
		const refundsLimit = error instanceof ResortError && error.details.refundsLimit;
		if (refundsLimit && counted !== null) counted = await refund(counted);
		if (addition?.admitted) await refund(addition);
		else counted = addition ?? counted;
		return failures.ofCall(error, call, rateLimitHeaders(counted));
	}
}

/**
 * Refuses a call that was not admitted by its limit.
 * @throws ResortError `rate_limited`
 */
function requireAdmitted(counted: CountedCall | null): void {
	if (counted === null || counted.admitted) return;
	const { name, limit, resetSeconds } = counted;
	const { windowMs, key } = limits[name];
	throw new ResortError("rate_limited", "Rate limit exceeded", {
		hint: `Wait ${resetSeconds} ${resetSeconds === 1 ? "second" : "seconds"}, then repeat the call. The ${name} limit allows ${limit} in ${windowMs < MINUTE_MS ? "1 second" : inWords(windowMs)} per ${key}.`,
		retryAfterSeconds: resetSeconds,
	});
}

/**
 * Returns the header fields of draft-ietf-httpapi-ratelimit-headers-10, or none if the call has no rate
 * limit.
 */
function rateLimitHeaders(counted: CountedCall | null): Answer["headers"] {
	if (counted === null) return {};
	const { name, limit, remaining, resetSeconds } = counted;
	const { windowMs } = limits[name];
	return {
		"ratelimit-policy": `"${name}";q=${limit};w=${windowMs / SECOND_MS}`,
		ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
	};
}
