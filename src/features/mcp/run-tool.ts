import { GIVE_KEY, type GivenKey, HAS_AGENT, keepKey, keyHint } from "../../content/mcp-texts.ts";
import { NOTICE } from "../../content/notice.ts";
import { nextCall } from "../../content/registration-texts.ts";
import { type Answer, jsonOf } from "../../core/calls/answer.ts";
import type { CallSource } from "../../core/calls/call.ts";
import { handle, type Pipeline } from "../../core/calls/handle.ts";
import { Hint } from "../../core/lib/hint.ts";
import { pick } from "../../core/lib/record.ts";
import { invalid, ResortError } from "../../core/lib/resort-error.ts";
import { withoutInvisibleEscapes } from "../../core/lib/text.ts";
import { findAgentByName, UnclearName } from "./find-agent.ts";
import type { Arguments, Result, Tool } from "./tool.ts";
import { checkArguments, pickOperations, toOperationCall } from "./tool-arguments.ts";
import { chooseKey, findHolder } from "./tool-credentials.ts";
import { API_KEY, takesKey } from "./tool-schemas.ts";
import { type Toolbox, type ToolCall, toNextPage } from "./toolbox.ts";

/** The tools that an error suggests if the key is missing or invalid. */
const OVERVIEW = "overview";
const REGISTER = "register";

/** The fields that come first in a result, in this order. */
const FIRST_FIELDS = ["ok", API_KEY, "toRested", "next", "hint", "summary", "keep"];

/** The suggested delay after a failure that the caller did not cause. */
const RETRY_SECONDS = 60;

/** A `CallToolResult`. Failures and results with a new key have no `structuredContent`. */
type ToolResult = {
	readonly content: { readonly type: "text"; readonly text: string }[];
	readonly structuredContent?: Record<string, unknown>;
	readonly isError?: true;
};

/** Checks the arguments, chooses the key, and runs the operations. A failure becomes a result. */
export async function runTool(
	toolbox: Toolbox,
	tool: Tool,
	sent: Arguments,
	request: CallSource,
): Promise<ToolResult> {
	const { pipeline } = toolbox;
	let source = request;
	let failure: Answer | null = null;
	try {
		let args = checkArguments(tool, sent);
		if (takesKey(tool) || tool.createsAgent) {
			source = await chooseKey(pipeline, request, args);
		}
		// Registering would create a second agent.
		if (tool.createsAgent && args.another !== true && (await findHolder(pipeline, source)) !== null) {
			throw invalid(HAS_AGENT.error, { hint: HAS_AGENT.hint });
		}
		if (tool.findsByName && args.ids === undefined && args.name !== undefined) {
			const ids = await findAgentByName(pipeline, source, args.name as string);
			args = { ...args, ids };
		}
		let result: Result = {};
		for (const operation of pickOperations(tool, args)) {
			const answer = await handle(pipeline, { ...source, ...toOperationCall(tool, operation, args) });
			failure = answer.failure && answer;
			if (failure !== null) break;
			const body = await jsonOf(answer);
			const next = toolCalls(toolbox, tool, args, { calls: answer.next, path: body.next });
			result = { ...result, ...body, next };
		}
		if (failure === null) return toResult(pipeline, tool, args, result);
	} catch (error) {
		failure = pipeline.failures.of(error, request.record);
	}
	request.record.refused = failure.status;
	const isHeader = source.credentials === request.credentials;
	const given = source.credentials.apiKey === null ? "none" : isHeader ? "header" : "argument";
	return refusalOf(toolbox, tool, failure, given);
}

/**
 * Converts the suggested calls of an answer to calls of tools. Returns undefined if there are none.
 * @param given `path`: the path of the next page, if the answer is a list
 */
function toolCalls(
	toolbox: Toolbox,
	tool: Tool,
	args: Arguments,
	{ calls, path }: { readonly calls: Answer["next"]; readonly path: unknown },
): readonly ToolCall[] | undefined {
	if (calls !== undefined) {
		// If several suggested calls become the same call of a tool, this call is listed only once.
		const known = calls.flatMap((call) => toolbox.toToolCall(call) ?? []);
		const isFirst = ({ tool, arguments: args }: ToolCall, at: number) =>
			known.findIndex((one) => one.tool === tool && Bun.deepEquals(one.arguments, args)) === at;
		return known.filter(isFirst);
	}
	const page = typeof path === "string" ? toNextPage(tool, args, path) : undefined;
	return page && [page];
}

/**
 * Converts the merged responses to the result of a tool. The fields that a model needs for its next call come
 * first, because small models read only the beginning. A result with a new key has no structured content, so
 * that the key is logged once and not twice.
 */
function toResult({ context }: Pipeline, tool: Tool, args: Arguments, merged: Result): ToolResult {
	const { provider, registration, baseUrl } = context;
	const result = tool.present?.(merged, args) ?? merged;
	const isKey = API_KEY in result;
	const terms = { register: REGISTER, sendKey: GIVE_KEY };
	const whole: Result = {
		...result,
		...("brief" in result && { hint: nextCall(provider?.url ?? null, registration, terms) }),
		...(isKey && { keep: keepKey(baseUrl) }),
	};
	const first = FIRST_FIELDS.filter((name) => name in whole);
	const ordered: Result = { ...pick(whole, first), ...whole };
	const json = JSON.stringify(ordered);
	const text = withoutInvisibleEscapes(json);
	// Only texts stored by earlier versions contain invisible characters.
	const structuredContent = text === json ? ordered : JSON.parse(text);
	const texts = [text];
	if (tool.showsGuests) texts.unshift(NOTICE);
	const content = texts.map((text) => ({ type: "text" as const, text }));
	return isKey ? { content } : { content, structuredContent };
}

/**
 * Converts a failure to the result of a tool, in which calls are tools.
 * @param given where the key of the call comes from
 */
function refusalOf(
	toolbox: Toolbox,
	tool: Tool,
	{ status, headers, failure }: Answer,
	given: GivenKey,
): ToolResult {
	const { error, body } = failure ?? {};
	const { code, details } = error instanceof ResortError ? error : {};
	const calls = details?.hint instanceof Hint ? details.hint.calls : [];
	let hint = details?.hint && toolbox.write(details.hint);
	// No other tool can help after an invalid argument, so the result suggests the same tool.
	let next =
		body?.field === undefined ? calls.map((call) => toolbox.toolFor(call)).find(Boolean)?.name : undefined;
	if (code === "unauthorized") {
		const { provider, registration } = toolbox.pipeline.context;
		const isOverview = tool.name === OVERVIEW;
		const mayRegister = provider === null && registration !== "closed";
		hint = keyHint({ provider: provider?.url ?? null, registration }, given, isOverview);
		// A client program that sends a key in the header field, even an invalid one, probably has an agent at
		// this resort already.
		next = isOverview && mayRegister && given !== "header" ? REGISTER : OVERVIEW;
	}
	const retryAfterSeconds = headers["retry-after"] ?? (status >= 500 ? RETRY_SECONDS : undefined);
	const refusal = {
		...body,
		error: body?.error.replace("Idempotency-Key", "idempotencyKey"),
		...(hint && { hint }),
		tool: next ?? tool.name,
		...(error instanceof UnclearName && { candidates: error.candidates }),
		...(retryAfterSeconds !== undefined && { retryAfterSeconds: Number(retryAfterSeconds) }),
	};
	return { content: [{ type: "text", text: JSON.stringify(refusal) }], isError: true };
}
