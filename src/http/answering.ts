import type { Logger } from "@logtape/logtape";
import { type Access, type Call, run } from "../auth/call.ts";
import { Making } from "../pipeline/making.ts";
import { keyOf, type Ready, type ReadyAnswers } from "../pipeline/ready.ts";
import type { Input, Operation } from "../resort/operation.ts";
import { createFailures } from "./failure.ts";
import { freshHeaders, validatedHeaders } from "./headers.ts";

/** What the doors of an instance share, so that each list is made once and each outage told once for all of them. */
export interface Answering {
	readonly access: Access;
	readonly making: Making;
	readonly failures: ReturnType<typeof createFailures>;
}

/** Puts together what the doors share. */
export function createAnswering(
	access: Access,
	ready: ReadyAnswers,
	log: Logger,
): Answering {
	const making = new Making(ready);
	const failures = createFailures(log, access.context.clock);
	return { access, making, failures };
}

/**
 * Gives an answer that is kept ready, or makes it now.
 * @throws what the operation throws
 */
export function readyAnswer(
	{ access, making }: Answering,
	call: Call,
	input: Input,
): Promise<Ready> {
	const { operation, params } = call;
	const judged = input.query as Readonly<Record<string, string | number>>;
	const query = operation.canonical?.(judged) ?? judged;
	// No target has a space, so that the front never finds these keys: of two operations the Accept field decides.
	const own = operation.byAccept === true ? ` ${operation.id}` : "";
	return making.get({
		key: keyOf(operation.path, params, query) + own,
		operation,
		input,
		run: () => run(access, call, input),
		headersOf: (own) => headersOf(operation, own),
	});
}

/** The status of success that an operation gives when it says no other. */
export function usualStatus({ answers }: Operation): number {
	// Names that are whole numbers come in their order (ECMAScript, OrdinaryOwnPropertyKeys).
	return Number(Object.keys(answers)[0]);
}

function headersOf(
	{ isFresh, byAccept }: Operation,
	own: Readonly<Record<string, string>>,
): Headers {
	const shared = isFresh ? freshHeaders : validatedHeaders;
	if (!byAccept && Object.keys(own).length === 0) return shared;
	const headers = new Headers({ ...Object.fromEntries(shared), ...own });
	if (byAccept) headers.set("vary", "Accept");
	return headers;
}
