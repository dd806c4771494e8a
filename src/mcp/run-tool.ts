import { KEEP_KEY } from "../content/mcp-texts.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Answer, CallSource } from "../pipeline/call.ts";
import { handle, type Pipeline } from "../pipeline/handle.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import {
	ignoredArguments,
	pickOperations,
	toOperationCall,
} from "./tool-arguments.ts";
import { toToolError } from "./tool-error.ts";
import { API_KEY, NEW_KEY } from "./tool-schemas.ts";
import type { ReadyTool, Toolbox } from "./toolbox.ts";
import type { Arguments } from "./tools.ts";

/** Larger results are refused: only lists are as large, and they can be requested in parts. */
const MAX_RESULT_BYTES = 1024 * 1024;

/** The result of a tool (`CallToolResult` of the protocol); a refusal has only its text. */
export interface ToolResult {
	readonly content: { readonly type: "text"; readonly text: string }[];
	readonly structuredContent?: Record<string, unknown>;
	readonly isError?: true;
}

/** A call that makes sense next, as operations return it. */
interface NextCall {
	readonly method: string;
	readonly path: string;
}

/** Runs the operations of a tool. */
export async function runTool(
	pipeline: Pipeline,
	toolbox: Toolbox,
	{ tool, operations }: ReadyTool,
	args: Arguments,
	source: CallSource,
): Promise<ToolResult> {
	const picked = pickOperations(tool, operations, args);
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
		...(NEW_KEY in result && { keep: KEEP_KEY }),
		...(ignored.length > 0 && { ignored }),
	};
	const text = JSON.stringify(structuredContent);
	return { content: [{ type: "text", text }], structuredContent };
}

/** Handles a call, and replaces an answer that is too large by a failure. */
async function handleBounded(
	pipeline: Pipeline,
	call: Parameters<typeof handle>[1],
): Promise<Answer> {
	const answer = await handle(pipeline, call);
	const { body } = answer;
	const length = body instanceof ResponseBody ? body.length : 0;
	if (length <= MAX_RESULT_BYTES) return answer;
	const error = new ResortError(
		"invalid",
		"The answer is too large for a tool",
		{ hint: "Ask for a part of it with limit and offset." },
	);
	return pipeline.failures.of(error, call.request);
}

/** The key may be an argument instead of a header field. */
function withKey(source: CallSource, args: Arguments): CallSource {
	const { credentials } = source;
	const apiKey = credentials.apiKey ?? args[API_KEY] ?? null;
	return typeof apiKey === "string"
		? { ...source, credentials: { ...credentials, apiKey } }
		: source;
}
