import type { Authenticator } from "../auth/authenticate.ts";
import type { CredentialWatch } from "../auth/credential-watch.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { WaitSignal } from "../lib/wait-signal.ts";
import type { Caller, Input } from "../resort/operation.ts";
import type { Call } from "./call.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";

/** How much longer than a call waits its connection may be silent. */
const SPARE_SECONDS = 15;

/** What calls and streams that stay open depend on. */
export interface LongCallServices {
	readonly authenticator: Authenticator;
	readonly credentialWatch: CredentialWatch;
	readonly concurrency: ConcurrencyLimit;
}

/** Returns whether a long call may take one of the slots for callers with a valid credential. */
export async function isKnown(
	{ authenticator, concurrency }: LongCallServices,
	call: Call,
	caller: Caller | null,
): Promise<boolean> {
	if (caller !== null) return true;
	return concurrency.isReserved && authenticator.holdsCredential(call);
}

/**
 * Runs an operation that waits, until its time is over, the client disconnects, the credential ends or the instance
 * stops.
 * @throws ResortError `rate_limited` or `unavailable` if too many calls wait, `unauthorized` if the credential has
 * ended, and what the operation throws
 */
export async function longPoll(
	services: LongCallServices,
	call: Call,
	input: Input,
	seconds: number,
): Promise<object> {
	const { authenticator, concurrency, credentialWatch } = services;
	const { caller } = input;
	const mayUseReserved = await isKnown(services, call, caller);
	// A call that need not wait takes no slot.
	let release = () => {};
	const waitSignal = new WaitSignal(seconds * SECOND_MS, () => {
		release = concurrency.acquire("call", call.address(), mayUseReserved);
	});
	const { connection } = call;
	const end = () => waitSignal.end();
	const check = () =>
		void authenticator.reauthenticate(call, caller).catch(end);
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
		release();
	}
}
