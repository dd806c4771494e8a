import { GIVE_KEY, KEEP_KEY } from "../content/mcp-texts.ts";
import { NOTICE } from "../content/notice.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import type { Answer, CallSource } from "../pipeline/call.ts";
import { handle, type Pipeline } from "../pipeline/handle.ts";
import { InjectedFault } from "../pipeline/inject-fault.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import {
	ignoredArguments,
	pickOperations,
	toOperationCall,
} from "./tool-arguments.ts";
import { API_KEY } from "./tool-schemas.ts";
import type { Toolbox } from "./toolbox.ts";
import type { Arguments, Tool } from "./tools.ts";

/** The maximum size of a result. Only lists can exceed it, and lists can be requested in pages. */
const MAX_RESULT_BYTES = 1024 * 1024;

/** The suggested delay after a failure that the caller did not cause. */
const RETRY_SECONDS = 60;

/** The result of a tool (`CallToolResult` in the protocol). A failure contains only text. */
type ToolResult = {
	readonly content: { readonly type: "text"; readonly text: string }[];
	readonly structuredContent?: Record<string, unknown>;
	readonly isError?: true;
};

/** A suggested next call, as in the responses of operations. */
interface NextCall {
	readonly method: string;
	readonly path: string;
}

/** Runs the operations of a tool. */
export async function runTool(
	pipeline: Pipeline,
	toolbox: Toolbox,
	tool: Tool,
	args: Arguments,
	source: CallSource,
): Promise<ToolResult> {
	const picked = pickOperations(tool, args);
	let result: Record<string, unknown> = {};
	for (const operation of picked) {
		const { status, failure, body } = await handleBounded(pipeline, {
			...withKey(source, args),
			...toOperationCall(tool, operation, args),
		});
		if (failure !== null) {
			source.record.refused = status;
			const error = toToolError(failure, tool.name, toolbox);
			const text = JSON.stringify(error);
			return { content: [{ type: "text", text }], isError: true };
		}
		if (body instanceof ResponseBody) {
			result = { ...result, ...JSON.parse(await body.text()) };
		}
	}
	const ignored = ignoredArguments(tool, picked, args);
	const { hint, next } = result;
	const withTool = (call: NextCall) => {
		const name = toolbox.nameOf(call.method, call.path);
		return name === undefined ? call : { ...call, tool: name };
	};
	const structuredContent = {
		...result,
		...(typeof hint === "string" && { hint: toolbox.translate(hint) }),
		...(Array.isArray(next) && { next: next.map(withTool) }),
		...(API_KEY in result && { keep: KEEP_KEY }),
		...(ignored.length > 0 && { ignored }),
	};
	const texts = [JSON.stringify(structuredContent)];
	if (tool.showsGuests) texts.unshift(NOTICE);
	const content = texts.map((text) => ({ type: "text" as const, text }));
	return { content, structuredContent };
}

/** Handles a call. Replaces an answer that is too large by a failure. */
async function handleBounded(
	pipeline: Pipeline,
	call: Parameters<typeof handle>[1],
): Promise<Answer> {
	const answer = await handle(pipeline, call);
	const { body } = answer;
	const length = body instanceof ResponseBody ? body.length : 0;
	if (length <= MAX_RESULT_BYTES) return answer;
	const error = invalid("The response is too large for a tool", {
		hint: "Request a part of it with limit and offset.",
	});
	return pipeline.failures.of(error, call.request);
}

/** Adds the key to the credentials if the client sent it as an argument instead of a header field. */
function withKey(source: CallSource, args: Arguments): CallSource {
	const { credentials } = source;
	const apiKey = credentials.apiKey ?? args[API_KEY] ?? null;
	return typeof apiKey === "string"
		? { ...source, credentials: { ...credentials, apiKey } }
		: source;
}

/**
 * Converts a failure to the result of a tool. Replaces methods and paths by names of tools.
 * @param name the name of the called tool
 */
function toToolError(
	{ error, body }: NonNullable<Answer["failure"]>,
	name: string,
	toolbox: Toolbox,
) {
	const { code } = error instanceof ResortError ? error : {};
	const hint = body.hint && toolbox.translate(body.hint);
	// No other tool can help after an invalid argument, a rate limit or an internal error.
	const isRetry =
		code === undefined || code === "rate_limited" || body.field !== undefined;
	const next = isRetry ? undefined : toolbox.firstIn(body.hint ?? "");
	const retryAfterSeconds = retryAfterOf(error);
	return {
		...body,
		error: toolbox.translate(body.error),
		...(hint && {
			hint: code === "unauthorized" ? `${hint} ${GIVE_KEY}` : hint,
		}),
		tool: next ?? name,
		...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
	};
}

function retryAfterOf(error: unknown): number | undefined {
	if (error instanceof InjectedFault) {
		return error.fault.retryAfterSeconds ?? undefined;
	}
	if (!(error instanceof ResortError)) return RETRY_SECONDS;
	const { code, details } = error;
	const seconds = code === "unavailable" ? RETRY_SECONDS : undefined;
	return details.retryAfterSeconds ?? seconds;
}
