import { type GivenKey, HAS_AGENT, keepKey, keyHint } from "../content/mcp-texts.ts";
import { NOTICE } from "../content/notice.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import type { Answer, CallSource } from "../pipeline/call.ts";
import { handle, type Pipeline } from "../pipeline/handle.ts";
import { InjectedFault } from "../pipeline/inject-fault.ts";
import { ResponseBody } from "../pipeline/response-body.ts";
import { findAgentByName, UnclearName } from "./find-agent.ts";
import type { Arguments, Result, Tool } from "./tool.ts";
import { checkArguments, pickOperations, toOperationCall } from "./tool-arguments.ts";
import { chooseKey, findHolder } from "./tool-credentials.ts";
import { API_KEY, takesKey } from "./tool-schemas.ts";
import type { Toolbox, ToolCall } from "./toolbox.ts";

/** The tools that an error suggests if the key is missing or invalid. */
const OVERVIEW = "overview";
const REGISTER = "register";

/** The fields that come first in a result, in this order. */
const FIRST_FIELDS = ["ok", API_KEY, "toRested", "next", "hint", "summary", "keep"];

/** The suggested delay after a failure that the caller did not cause. */
const RETRY_SECONDS = 60;

/**
 * The result of a tool (`CallToolResult` in the protocol). A failure and a result with a new key have only
 * `content` and no `structuredContent`.
 */
type ToolResult = {
	readonly content: { readonly type: "text"; readonly text: string }[];
	readonly structuredContent?: Record<string, unknown>;
	readonly isError?: true;
};

/** A call of a tool. */
interface ToolRun {
	readonly pipeline: Pipeline;
	readonly toolbox: Toolbox;
	readonly tool: Tool;
}

/**
 * Runs a tool: checks the arguments, chooses the key, and runs the operations. Never rejects: a failure
 * becomes a result.
 */
export async function runTool(run: ToolRun, sent: Arguments, request: CallSource): Promise<ToolResult> {
	const { pipeline, tool } = run;
	let source = request;
	try {
		let args = checkArguments(tool, sent);
		if (takesKey(tool) || tool.createsAgent) {
			source = await chooseKey(pipeline, request, args);
		}
		if (tool.createsAgent && args.another !== true) {
			await requireNoAgent(pipeline, source);
		}
		if (tool.findsByName && args.ids === undefined && args.name !== undefined) {
			const name = args.name as string;
			const ids = await findAgentByName(pipeline, source, name);
			args = { ...args, ids };
		}
		const { result, failure } = await runOperations(run, args, source);
		if (failure !== null) return refuse(run, failure, source, request);
		return toResult(run, args, result);
	} catch (error) {
		const failure = pipeline.failures.of(error, request.request);
		return refuse(run, failure, source, request);
	}
}

/**
 * @throws ResortError `invalid` if the caller has a valid key, because registering would create a second
 * agent
 */
async function requireNoAgent(pipeline: Pipeline, source: CallSource): Promise<void> {
	if (source.credentials.apiKey === null) return;
	if ((await findHolder(pipeline, source)) === null) return;
	const { error, hint } = HAS_AGENT;
	throw invalid(error, { hint });
}

/**
 * Runs the operations of a call one after the other, and merges their responses. Stops at the first failure.
 */
async function runOperations(
	{ pipeline, toolbox, tool }: ToolRun,
	args: Arguments,
	source: CallSource,
): Promise<{ readonly result: Result; readonly failure: Answer | null }> {
	let result: Result = {};
	for (const operation of pickOperations(tool, args)) {
		const answer = await handle(pipeline, {
			...source,
			...toOperationCall(tool, operation, args),
		});
		if (answer.failure !== null) return { result, failure: answer };
		if (answer.body instanceof ResponseBody) {
			const body = JSON.parse(await answer.body.text());
			const next = toolCalls(toolbox, tool, args, answer, body);
			result = { ...result, ...body, next };
		}
	}
	return { result, failure: null };
}

/**
 * Converts the suggested calls of an answer to calls of tools. Returns undefined if there are none.
 * @param body the JSON of the answer; the `next` of a list is the path of its next page
 */
function toolCalls(
	toolbox: Toolbox,
	tool: Tool,
	args: Arguments,
	{ next: calls }: Answer,
	{ next: path }: { readonly next?: unknown },
): readonly ToolCall[] | undefined {
	if (calls !== undefined) {
		// If several suggested calls become the same call of a tool, this call is listed only once.
		const known = calls.flatMap((call) => toolbox.toToolCall(call) ?? []);
		return known.filter((call, at) => known.findIndex((one) => isSameCall(one, call)) === at);
	}
	if (typeof path !== "string") return undefined;
	const page = toolbox.toNextPage(tool, args, path);
	return page && [page];
}

function isSameCall(one: ToolCall, other: ToolCall): boolean {
	return one.tool === other.tool && Bun.deepEquals(one.arguments, other.arguments);
}

/**
 * Converts the merged responses to the result of a tool. The fields that a model needs for its next call come
 * first, because small models read only the beginning. A result with a new key has no structured content, so
 * that the key is logged once and not twice.
 */
function toResult({ pipeline, toolbox, tool }: ToolRun, args: Arguments, merged: Result): ToolResult {
	const result = tool.present?.(merged, args) ?? merged;
	const { hint } = result;
	const isKey = API_KEY in result;
	const whole: Result = {
		...result,
		...(typeof hint === "string" && { hint: toolbox.translate(hint) }),
		...(isKey && { keep: keepKey(pipeline.context.baseUrl) }),
	};
	const first = FIRST_FIELDS.filter((name) => name in whole).map((name) => [name, whole[name]]);
	const structuredContent = { ...Object.fromEntries(first), ...whole };
	const texts = [JSON.stringify(structuredContent)];
	if (tool.showsGuests) texts.unshift(NOTICE);
	const content = texts.map((text) => ({ type: "text" as const, text }));
	return isKey ? { content } : { content, structuredContent };
}

/**
 * Converts a failure to the result of a tool. Replaces methods and paths by names of tools.
 * @param source the request with the key that {@link chooseKey} has chosen
 * @param request the request as the client sent it
 */
function refuse(
	{ pipeline, toolbox, tool }: ToolRun,
	{ status, failure }: Answer,
	source: CallSource,
	{ credentials, record }: CallSource,
): ToolResult {
	record.refused = status;
	const { error, body } = failure ?? {};
	const { provider, registration } = pipeline.context;
	const { code } = error instanceof ResortError ? error : {};
	const isOverview = tool.name === OVERVIEW;
	const mayRegister = provider === null && registration !== "closed";
	let hint = body?.hint && toolbox.translate(body.hint);
	// No other tool can help after an invalid argument, so the result suggests the same tool.
	let next = body?.field === undefined ? toolbox.firstIn(body?.hint ?? "") : undefined;
	if (code === "unauthorized") {
		const given: GivenKey =
			source.credentials.apiKey === null
				? "none"
				: source.credentials === credentials
					? "header"
					: "argument";
		const from = { provider: provider?.url ?? null, registration };
		hint = keyHint(from, given, isOverview);
		// A client program that sends a key in the header field, even an invalid one, probably has an agent at
		// this resort already.
		next = isOverview && mayRegister && given !== "header" ? REGISTER : OVERVIEW;
	}
	const retryAfterSeconds = retryAfterOf(error);
	const refusal = {
		...body,
		error: toolbox.translate(body?.error ?? ""),
		...(hint && { hint }),
		tool: next ?? tool.name,
		...(error instanceof UnclearName && { candidates: error.candidates }),
		...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
	};
	const text = JSON.stringify(refusal);
	return { content: [{ type: "text", text }], isError: true };
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
