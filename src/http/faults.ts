import type { Connection } from "../auth/call.ts";
import { SECOND_MS } from "../lib/clock.ts";
import type { Fault, FaultTarget } from "../testkit/faults.ts";
import type { Testkit } from "../testkit/testkit.ts";
import { REQUEST_ID, requestIdFor } from "./exchange.ts";

/** How much longer than it is held up a connection may stay silent. */
const SPARE_SECONDS = 15;

/** In the log and the metrics, the status of a connection that was closed without an answer. */
const DROPPED = 444;

/** Thrown in place of an operation by a fault with a status or a drop. */
export class InjectedFault extends Error {
	constructor(readonly fault: Fault) {
		super("Injected fault");
	}

	/** Whether the connection is closed without an answer. */
	get isDrop(): boolean {
		return this.fault.drop;
	}
}

/**
 * Lets a call meet the fault that is armed for it.
 * @param found is told of the fault
 * @throws InjectedFault when nothing is to be done
 */
export async function meetFault(
	{ faults }: Testkit,
	call: FaultTarget,
	connection: Connection,
	found: { fault: Fault | null },
): Promise<void> {
	const fault = faults.take(call);
	if (fault === null) return;
	found.fault = fault;
	const { delayMs, status, drop } = fault;
	if (delayMs > 0) {
		connection.outlast(Math.ceil(delayMs / SECOND_MS) + SPARE_SECONDS);
		const goesOn = await faults.delay(delayMs, connection.signal);
		if (!goesOn) {
			found.fault = { ...fault, drop: true };
			throw new InjectedFault(found.fault);
		}
	}
	if (drop || status !== null) throw new InjectedFault(fault);
}

/**
 * Closes a connection without an answer: the runtime does so when a body has failed before anything was sent of it.
 * To HEAD it would send the header fields all the same, so there the connection is closed for its silence, which
 * takes it some 4 s.
 */
export async function dropConnection(
	request: Request,
	{ signal, outlast }: Connection,
): Promise<Response> {
	if (request.method === "HEAD") {
		outlast(1);
		await aborted(signal);
	}
	// Without a reason: one would be written to stderr.
	const body = new ReadableStream({ start: (stream) => stream.error() });
	const headers = { [REQUEST_ID]: requestIdFor(request) };
	return new Response(body, { status: DROPPED, headers });
}

function aborted(signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve();
		signal.addEventListener("abort", () => resolve());
	});
}
