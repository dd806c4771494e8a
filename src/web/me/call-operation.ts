import type { Answer, CallSource } from "../../pipeline/call.ts";
import { handle, type Pipeline } from "../../pipeline/handle.ts";
import { ResponseBody } from "../../pipeline/response-body.ts";
import type { Operation } from "../../resort/operation.ts";

/** A call whose answer is a failure. */
export class CallFailed extends Error {
	constructor(readonly answer: Answer) {
		super("The call failed");
	}
}

/**
 * Calls an operation.
 * @returns the JSON of its answer, and the session that begins or ends
 * @throws CallFailed
 */
export async function callOperation(
	pipeline: Pipeline,
	source: CallSource,
	operation: Operation,
	{ query = {}, body = {} }: { query?: Record<string, string>; body?: object },
) {
	const target = { operation, params: {}, query, body };
	const answer = await handle(pipeline, { ...source, ...target });
	if (answer.failure !== null) throw new CallFailed(answer);
	const result =
		answer.body instanceof ResponseBody
			? JSON.parse(await answer.body.text())
			: {};
	return { result, session: answer.session };
}
