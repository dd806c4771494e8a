import { SECOND_MS } from "../lib/clock.ts";
import { WaitSignal } from "../lib/wait-signal.ts";
import type { Input } from "../resort/operation.ts";
import type { Authenticator } from "./authenticate.ts";
import type { Call } from "./call.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { CredentialWatch } from "./credential-watch.ts";

/** Added to the waiting time of a call, to get the idle timeout of its connection. */
const SPARE_SECONDS = 15;

/** The services that long polls and event streams use. */
export interface LongCallServices {
	readonly authenticator: Authenticator;
	readonly credentialWatch: CredentialWatch;
	readonly concurrency: ConcurrencyLimit;
}

/**
 * Runs an operation that waits. The wait ends when the time is over, the client disconnects, the credential
 * becomes invalid or the instance stops. If a test cuts the call, the transport closes the connection instead
 * of sending the answer.
 * @throws ResortError `rate_limited` or `unavailable` if too many calls wait, `unauthorized` if the
 * credential has become invalid; errors of the operation are passed on
 */
export async function longPoll(
	services: LongCallServices,
	call: Call,
	input: Input,
	seconds: number,
): Promise<object> {
	const { authenticator, concurrency, credentialWatch } = services;
	const { caller } = input;
	// Counted when the wait begins, so a call whose result is available at once does not count.
	let release = () => {};
	const waitSignal = new WaitSignal(seconds * SECOND_MS, () => {
		release = concurrency.acquire("call", call.address());
	});
	const { connection, record } = call;
	const end = () => waitSignal.end();
	const remove = input.context.openCalls?.add("calls", () => {
		record.isDropped = true;
		end();
	});
	const check = () => void authenticator.reauthenticate(call, caller).catch(end);
	const unwatch = credentialWatch.watch(caller, check);
	connection.setTimeout(seconds + SPARE_SECONDS);
	connection.signal.addEventListener("abort", end);
	if (connection.signal.aborted) end();
	try {
		const result = await call.operation.run({ ...input, waitSignal });
		await authenticator.reauthenticate(call, caller);
		return result;
	} finally {
		waitSignal.end();
		connection.signal.removeEventListener("abort", end);
		unwatch();
		remove?.();
		release();
	}
}
