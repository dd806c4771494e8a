import {
	GIVE_KEY,
	type GivenKey,
	HAS_AGENT,
	type HeaderKey,
	keepKey,
	keyHint,
} from "../../content/mcp-texts.ts";
import { NOTICE } from "../../content/notice.ts";
import { nextCall } from "../../content/registration-texts.ts";
import { type Answer, jsonOf } from "../../core/calls/answer.ts";
import type { CallSource, CallTarget } from "../../core/calls/call.ts";
import { handle, operationFor, type Pipeline } from "../../core/calls/handle.ts";
import { Hint } from "../../core/lib/hint.ts";
import { pick } from "../../core/lib/record.ts";
import { invalid, ResortError } from "../../core/lib/resort-error.ts";
import { wholeNumber, withoutInvisibleEscapes } from "../../core/lib/text.ts";
import type { AuthenticatedAgent } from "../../core/resort/agents/authenticated-agent.ts";
import { checkNames, trimStrings, validateBody, withoutOmitted } from "../../core/resort/validation.ts";
import { findAgentByName, UnclearName } from "./find-agent.ts";
import { API_KEY, type Arguments, type Result, type Tool, type ToolOperation } from "./tool.ts";
import { type Toolbox, type ToolCall, toNextPage } from "./tools.ts";

/** The tools that an error suggests if the key is missing or invalid. */
const OVERVIEW = "overview";
const REGISTER = "register";

/** The fields that come first in a result, in this order. */
const FIRST_FIELDS = ["ok", API_KEY, "toRested", "next", "hint", "summary", "keep"];

/** The suggested delay after a failure that the caller did not cause. */
const RETRY_SECONDS = 60;

/**
 * Runs a tool: checks its arguments, chooses the key, and runs the operations. A failure becomes a result.
 * Failures, and results with a new key, have no `structuredContent`.
 */
export async function runTool(toolbox: Toolbox, tool: Tool, sent: Arguments, request: CallSource) {
	const { pipeline } = toolbox;
	let source = request;
	let failure: Answer | null = null;
	try {
		let args = checkArguments(tool, sent);
		if (tool.takesKey || tool.createsAgent) {
			source = await chooseKey(pipeline, request, args);
		}
		// Registering would create a second agent for the same caller.
		if (tool.createsAgent && args.another !== true && (await findHolder(pipeline, source)) !== null) {
			throw invalid(HAS_AGENT.error, { hint: HAS_AGENT.hint });
		}
		if (tool.findsByName && (args.ids === undefined) === (args.name === undefined)) {
			const hint = "ids: 1 to 100 agent ids; name: that of one agent.";
			throw invalid("Set either ids or name", { field: args.ids === undefined ? "ids" : "name", hint });
		}
		if (tool.findsByName && args.ids === undefined) {
			const ids = await findAgentByName(pipeline, source, args.name as string);
			args = { ...args, ids };
		}
		let result: Result = {};
		const picked = tool.pick?.(args) ?? tool.routes;
		for (const operation of tool.operations.filter(({ route }) => picked.includes(route))) {
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

/** Returns the state of the key in the header field; `none` without a key, or if its state is unknown now. */
export async function checkHeaderKey(pipeline: Pipeline, source: CallSource): Promise<HeaderKey> {
	if (source.credentials.apiKey === null) return "none";
	try {
		return (await findHolder(pipeline, source)) === null ? "invalid" : "valid";
	} catch (error) {
		if (error instanceof ResortError) return "none";
		throw error;
	}
}

/** Returns the agent to which the key of a call belongs; null if the key is missing or invalid. */
async function findHolder(
	{ context: { store }, authenticator }: Pipeline,
	source: CallSource,
): Promise<AuthenticatedAgent | null> {
	return await store.withDeadline(async () => {
		await store.checkFreshness();
		return authenticator.findHolder(source);
	});
}

/**
 * Chooses between the keys in the header field and in the argument. The argument replaces an invalid key in
 * the field, which the client program may have filled from an unset variable or with an old key.
 * @throws ResortError `invalid` if the keys belong to different agents, or only the key in the field is valid
 */
async function chooseKey(pipeline: Pipeline, source: CallSource, args: Arguments): Promise<CallSource> {
	const { credentials } = source;
	const argument = args[API_KEY];
	if (typeof argument !== "string" || argument.trim() === "") return source;
	// Models copy the scheme `Bearer` from the configuration of other programs.
	const apiKey = argument.trim().replace(/^bearer\s+/i, "");
	const byArgument = { ...source, credentials: { ...credentials, apiKey } };
	if (credentials.apiKey === null || credentials.apiKey === apiKey) {
		return byArgument;
	}
	const holder = await findHolder(pipeline, source);
	if (holder === null) return byArgument;
	const other = await findHolder(pipeline, byArgument);
	if (other?.id === holder.id) return source;
	if (other !== null) {
		throw invalid("Two different keys", {
			field: API_KEY,
			hint:
				"The header of this connection and apiKey contain keys of different agents. Omit apiKey to " +
				"act as the header's agent; use a separate connection for the other.",
		});
	}
	throw invalid("apiKey is not valid", {
		field: API_KEY,
		hint: "Omit apiKey: the header of this connection has a valid key.",
	});
}

/**
 * Checks the names of all arguments, the ranges in `schemas`, and the values of the `extra` arguments. The
 * operations validate all other values.
 * @returns the arguments without those that count as omitted; `extra` arguments are trimmed
 * @throws ResortError `invalid` with the first invalid argument
 */
function checkArguments(tool: Tool, sent: Arguments): Arguments {
	const { fields, schema, extra, schemas = {}, routes } = tool;
	checkNames("argument", [schema], sent, { isStrict: true });
	const isChange = routes.some((route) => route.startsWith("PATCH "));
	// In a `PATCH` operation, null and "" clear the fields that can be null.
	const clearing = fields
		.filter(({ schema }) => isChange && schema.type?.includes("null"))
		.map(({ name }) => name)
		.filter((name) => Object.hasOwn(sent, name));
	const args = { ...withoutOmitted(schema, sent), ...pick(sent, clearing) };
	for (const [name, { minimum, maximum }] of Object.entries(schemas)) {
		const text = textOf(args[name]);
		if (maximum !== undefined && text !== undefined && wholeNumber(text, maximum, minimum) === undefined) {
			throw invalid(`${name} must be a whole number from ${minimum} to ${maximum}`, { field: name });
		}
	}
	return extra === undefined ? args : { ...args, ...validateBody(extra, trimStrings(args) as object) };
}

/**
 * Maps the arguments of a tool to the parameters and the body of an operation.
 * @throws ResortError `invalid` if an id is missing
 */
function toOperationCall(
	{ defaults = {}, hidden = [] }: Tool,
	{ operation, fields }: ToolOperation,
	args: Arguments,
): CallTarget {
	const params: Record<string, string> = {};
	const query: Record<string, string> = {};
	const body: Record<string, unknown> = {};
	for (const { name, in: place } of fields) {
		const value = hidden.includes(name) ? undefined : args[name];
		const text = textOf(value) ?? defaults[name];
		if (place === "path") {
			params[name] = text?.trim() ?? "";
			if (params[name] === "") {
				throw invalid(`${name} is required`, { field: name });
			}
		} else if (place === "query") {
			if (text !== undefined) query[name] = text;
		} else if (value !== undefined) {
			body[name] = value;
		}
	}
	return {
		operation: operationFor(operation, query),
		params,
		query,
		body,
		...(typeof args.idempotencyKey === "string" && { idempotencyKey: args.idempotencyKey || undefined }),
	};
}

/** Converts a value to text as in URLs. An object becomes an empty text, which no operation accepts. */
function textOf(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	const items = Array.isArray(value) ? value : [value];
	return items.map((item) => (typeof item === "object" ? "" : String(item).toWellFormed())).join(",");
}

/** Converts the suggested calls of an answer, or the path of the next page of a list, to calls of tools. */
function toolCalls(
	toolbox: Toolbox,
	tool: Tool,
	args: Arguments,
	{ calls, path }: { readonly calls: Answer["next"]; readonly path: unknown },
): readonly ToolCall[] | undefined {
	if (calls !== undefined) {
		// If several suggested calls become the same tool call, this call is listed only once.
		const known = calls.flatMap((call) => toolbox.toToolCall(call) ?? []);
		const isFirst = ({ tool, arguments: args }: ToolCall, at: number) =>
			known.findIndex((one) => one.tool === tool && Bun.deepEquals(one.arguments, args)) === at;
		return known.filter(isFirst);
	}
	const page = typeof path === "string" ? toNextPage(tool, args, path) : undefined;
	return page && [page];
}

/**
 * Converts the merged responses to the result of a tool. What a model needs for its next call comes first,
 * because small models read only the beginning. A result with a new key has no structured content, so that
 * clients log the key only once.
 */
function toResult({ context }: Pipeline, tool: Tool, args: Arguments, merged: Result) {
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
	// `text` and `json` differ only if a text from an earlier version contains invisible characters.
	const structuredContent = text === json ? ordered : JSON.parse(text);
	const content = contentOf(text, tool.showsGuests);
	return isKey ? { content } : { content, structuredContent };
}

/** Returns the content of a result: its JSON, after {@link NOTICE} if it may contain texts of guests. */
const contentOf = (json: string, showsGuests = false) =>
	(showsGuests ? [NOTICE, json] : [json]).map((text) => ({ type: "text" as const, text }));

/**
 * Converts a failure to the result of a tool, which names tools in place of HTTP calls.
 * @param given where the key of the call comes from
 */
function refusalOf(toolbox: Toolbox, tool: Tool, { status, headers, failure }: Answer, given: GivenKey) {
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
	return { content: contentOf(JSON.stringify(refusal), error instanceof UnclearName), isError: true };
}
