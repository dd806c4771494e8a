import { SECOND_MS } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { limits } from "../resort/limits.ts";
import type { Answer, Call, ValidCall } from "./call.ts";
import type { Pipeline } from "./handle.ts";
import { type CountedCall, requireAdmitted } from "./rate-limits.ts";

/**
 * Counts a call towards its rate limits, and runs it if they admit it. The counting is undone if the call was
 * a repetition, and as far as its failure requires.
 * @param run returns the answer of the call; errors become answers here
 * @returns the answer, also of a failure, with the state of the call's limit
 * @throws ResortError `full` if the call adds rows and the resort is full
 */
export async function limit(
	{ context, rateLimits, failures }: Pipeline,
	call: Call,
	{ input, adds }: ValidCall,
	run: () => Promise<Answer>,
): Promise<Answer> {
	if (adds) context.capacity.requireRoom();
	let counted = await rateLimits.count(call, input.caller);
	let addition: CountedCall | null = null;
	// Without the deadline of the request, because a call also fails if the deadline has passed.
	const refund = (one: CountedCall) => context.store.withoutDeadline(() => rateLimits.refund(one));
	try {
		requireAdmitted(counted);
		if (adds) addition = await rateLimits.countAddition(call, input.caller);
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
