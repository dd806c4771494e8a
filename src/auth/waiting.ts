import { SECOND_MS } from "../lib/clock.ts";
import { WaitSignal } from "../lib/wait-signal.ts";
import type { Input, Operation } from "../resort/operation.ts";
import { type Access, type Call, run, verify } from "./call.ts";

/** How much longer than it waits a connection may stay silent. */
const SPARE_SECONDS = 15;

/**
 * For how many seconds a call waits.
 * @param query a judged one
 */
export function secondsOf({ waits }: Operation, query: unknown): number {
	if (waits === undefined) return 0;
	const { wait = 0 } = query as { readonly wait?: number };
	return wait;
}

/**
 * Runs the operation of a call that was admitted. One that waits does so until its time is over, its caller is gone,
 * its credential ends or the instance stops.
 * @throws ResortError `rate_limited` or `unavailable` when too many wait, `unauthorized` when the credential has
 * ended; what the operation throws
 */
export async function runPatiently(
	access: Access,
	call: Call,
	input: Input,
): Promise<object> {
	const seconds = secondsOf(call.operation, input.query);
	if (seconds === 0) return run(access, call, input);
	// What can be answered at once takes no place.
	let giveBack = () => {};
	const waitSignal = new WaitSignal(seconds * SECOND_MS, () => {
		giveBack = access.places.take("call", call.address());
	});
	const end = () => waitSignal.end();
	const { caller, connection } = call;
	const check = () => void verify(access, call).catch(end);
	const unwatch = caller && access.endings.watch(caller.agent.id, check);
	connection.outlast(seconds + SPARE_SECONDS);
	connection.signal.addEventListener("abort", end);
	if (connection.signal.aborted) end();
	try {
		const answer = await run(access, call, { ...input, waitSignal });
		await verify(access, call);
		return answer;
	} finally {
		waitSignal.end();
		connection.signal.removeEventListener("abort", end);
		unwatch?.();
		giveBack();
	}
}
