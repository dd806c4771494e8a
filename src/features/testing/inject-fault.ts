import type { Call } from "../../core/calls/call.ts";
import { ChosenFailure } from "../../core/calls/failure-answer.ts";
import { SECOND_MS } from "../../core/lib/clock.ts";
import type { FaultInjector } from "./faults.ts";

/** Added to the delay of a call, to get the idle timeout of its connection. */
const SPARE_SECONDS = 15;

/**
 * Applies the fault that is armed for a call, if there is one: waits for the delay of the fault, and throws
 * if the operation must not run. If `call.record.isDropped` is true afterwards, the transport closes the
 * connection instead of sending the answer.
 * @throws ChosenFailure if the operation must not run
 */
export async function injectFault(faults: FaultInjector, call: Call): Promise<void> {
	const { connection, record } = call;
	const fault = faults.take(call);
	if (fault === null) return;
	record.fault = fault;
	const { delayMs, status, drop } = fault;
	if (delayMs > 0) {
		connection.setTimeout(Math.ceil(delayMs / SECOND_MS) + SPARE_SECONDS);
		const goesOn = await faults.delay(delayMs, connection.signal);
		if (!goesOn) {
			record.isDropped = true;
			throw new ChosenFailure(fault);
		}
	}
	record.isDropped = drop;
	if (drop || status !== null) throw new ChosenFailure(fault);
}
