import type { Fault } from "../../features/testing/faults.ts";
import type { Testkit } from "../../features/testing/testkit.ts";
import { SECOND_MS } from "../lib/clock.ts";
import type { Call } from "./call.ts";

/** Added to the delay of a call, to get the idle timeout of its connection. */
const SPARE_SECONDS = 15;

/** Thrown instead of running the operation if the fault has a status or drops the response. */
export class InjectedFault extends Error {
	constructor(readonly fault: Fault) {
		super("Injected fault");
	}
}

/**
 * Applies the fault that is armed for a call, if there is one: waits for the delay of the fault, and throws
 * if the operation must not run. If `call.record.isDropped` is true afterwards, the transport closes the
 * connection instead of sending the answer.
 * @throws InjectedFault if the operation must not run
 */
export async function injectFault({ faults }: Testkit, call: Call): Promise<void> {
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
			throw new InjectedFault(fault);
		}
	}
	record.isDropped = drop;
	if (drop || status !== null) throw new InjectedFault(fault);
}
