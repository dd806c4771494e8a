import { inWords, MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { networkLimits } from "../lib/ip-address.ts";
import { mapValues } from "../lib/record.ts";
import { ResortError } from "../lib/resort-error.ts";
import { type KeyLimit, SlidingWindow, type Verdict, type Window } from "../lib/sliding-window.ts";
import type { Caller } from "../resort/agents/authenticated-agent.ts";
import { failures } from "../resort/failures.ts";
import { DEEP_OFFSET, deepPageLimit, type Limit, type Operation } from "../resort/operation.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import type { Answer, FailureAnswers } from "./answer.ts";
import type { Call, ValidCall } from "./call.ts";

/**
 * The maximum number of keys (addresses or agents) that each limit stores. If all limits are full, the limits
 * by address use 80 MB of memory together, and the limits by agent 200 MB.
 */
const MAX_KEYS = { address: 70_000, agent: 200_000 } as const;

/** The result of counting a call towards a limit. */
interface CountedCall extends Verdict {
	readonly rule: Limit;
	/** The number of calls that the instance allows in the window. */
	readonly limit: number;
	/** The keys under which the call was counted. */
	readonly keys: readonly KeyLimit[];
}

/** Returns the rate limits towards which calls of the operations are counted, each limit once. */
export function limitsOf(operations: readonly Operation[]): readonly Limit[] {
	const limits = operations.flatMap(({ limit, limitOfAdditions }) => [limit ?? [], limitOfAdditions ?? []]);
	return [...new Map([...limits.flat(), deepPageLimit].map((one) => [one.name, one])).values()];
}

/** Counts calls towards the rate limits of their operations. */
export class RateLimits {
	/** The counted calls, by the name of the limit. */
	readonly windows: Record<string, Window> = {};
	/** The number of refused calls, by the name of the limit. */
	readonly refused: Record<string, number>;

	/** @param factor multiplies all limits; 0 disables them */
	constructor(
		operations: readonly Operation[],
		private readonly context: ServiceContext,
		private readonly factor: number,
		private readonly failureAnswers: FailureAnswers,
	) {
		for (const rule of limitsOf(operations)) this.#windowOf(rule);
		this.refused = mapValues(this.windows, () => 0);
	}

	/**
	 * Counts a call towards its rate limits, and runs it if no limit is exceeded. Undoes the count if another
	 * limit is exceeded, if the answer is a stored one (`isRepeated`), or if the call fails with an error that
	 * has `refundsLimit`.
	 * @param run returns the answer of the call; its errors are converted to answers
	 * @returns the answer, which may be that of a failure, with the state of the call's limit
	 * @throws ResortError `full` if the call adds rows and the resort is full
	 */
	async limit(call: Call, { input, adds }: ValidCall, run: () => Promise<Answer>): Promise<Answer> {
		const { limit: ordinary, limitOfAdditions } = call.operation;
		const rule = Number(call.query.offset) > DEEP_OFFSET ? deepPageLimit : ordinary;
		if (rule === undefined && !adds) return run();
		if (adds && this.context.capacity.full !== null) throw failures.full();
		let counted = await this.#count(rule, call, input.caller);
		let addition: CountedCall | null = null;
		try {
			requireAdmitted(counted);
			if (adds) addition = await this.#count(limitOfAdditions, call, input.caller);
			requireAdmitted(addition);
			const answer = await run();
			if (counted === null) return answer;
			if (answer.isRepeated) {
				counted = await this.#refund(counted);
				if (addition !== null) await this.#refund(addition);
			}
			return { ...answer, headers: { ...rateLimitHeaders(counted), ...answer.headers } };
		} catch (error) {
			const refundsLimit = error instanceof ResortError && error.details.refundsLimit;
			const isRefunded = refundsLimit || addition?.admitted === false;
			if (isRefunded && counted !== null) counted = await this.#refund(counted);
			if (addition?.admitted) await this.#refund(addition);
			else counted = addition ?? counted;
			return this.failureAnswers.of(error, call.record, rateLimitHeaders(counted));
		}
	}

	/** Resets all limits. */
	async clear(): Promise<void> {
		for (const window of Object.values(this.windows)) await window.clear();
	}

	#windowOf({ name, windowMs, key }: Limit): Window {
		const { createWindow } = this.context.store;
		this.windows[name] ??= createWindow?.(name, windowMs) ?? new SlidingWindow(windowMs, MAX_KEYS[key]);
		return this.windows[name];
	}

	/** Counts a call towards a limit. Returns null if `rule` is undefined or limits are disabled. */
	async #count(rule: Limit | undefined, call: Call, caller: Caller | null): Promise<CountedCall | null> {
		if (rule === undefined || this.factor === 0) return null;
		const { name, key } = rule;
		const limit = Math.max(1, Math.round(rule.limit * this.factor));
		const keys =
			key === "address"
				? networkLimits(call.address(), limit)
				: [{ key: caller?.agent.id ?? call.address(), limit }];
		const verdict = await this.#windowOf(rule).admit(keys, this.context.clock());
		if (!verdict.admitted) this.refused[name] = (this.refused[name] ?? 0) + 1;
		return { ...verdict, rule, limit, keys };
	}

	/** Undoes the counting of a call. Returns the new state of its limit. */
	async #refund(counted: CountedCall): Promise<CountedCall> {
		const { rule, keys, remaining } = counted;
		const { store, clock } = this.context;
		// Runs without the deadline of the request, because this deadline may have caused the failure.
		await store.withoutDeadline(() => this.#windowOf(rule).refund(keys, clock()));
		return { ...counted, remaining: remaining + 1 };
	}
}

/** Refuses a call that its limit has not admitted. @throws ResortError `rate_limited` */
function requireAdmitted(counted: CountedCall | null): void {
	if (counted === null || counted.admitted) return;
	const { rule, limit, resetSeconds } = counted;
	const { name, windowMs, key } = rule;
	throw new ResortError("rate_limited", "Rate limit exceeded", {
		hint: `Wait ${resetSeconds} ${resetSeconds === 1 ? "second" : "seconds"}, then repeat the call. The ${name} limit allows ${limit} in ${windowMs < MINUTE_MS ? "1 second" : inWords(windowMs)} per ${key}.`,
		retryAfterSeconds: resetSeconds,
	});
}

/** Returns the fields of draft-ietf-httpapi-ratelimit-headers-10; none if the call has no rate limit. */
function rateLimitHeaders(counted: CountedCall | null): Answer["headers"] {
	if (counted === null) return {};
	const { rule, limit, remaining, resetSeconds } = counted;
	const { name, windowMs } = rule;
	return {
		"ratelimit-policy": `"${name}";q=${limit};w=${windowMs / SECOND_MS}`,
		ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
	};
}
