import type { TSchema } from "@sinclair/typebox";
import type { CostlyReads } from "../lib/costly-reads.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Caller } from "../resort/caller.ts";
import type { Context } from "../resort/context.ts";
import { refusesUnknown } from "../resort/operation.ts";
import {
	checkNames,
	formsOf,
	trimStrings,
	validateBody,
	validateQuery,
	withoutOmitted,
} from "../resort/validation.ts";
import type { Answer, Call, ValidCall } from "./call.ts";
import { createAnswer, streamAnswer } from "./create-answer.ts";
import type { EventStreams } from "./event-streams.ts";
import type { FailureAnswers } from "./failure-answer.ts";
import type { IdempotentCalls } from "./idempotent-calls.ts";
import { type LongCallServices, longPoll } from "./long-poll.ts";
import { limit, type RateLimits } from "./rate-limits.ts";
import { cacheKey, type ResponseCache } from "./response-cache.ts";

/** What a feature does before each call. */
export interface CallHook {
	/**
	 * Runs before the call is authenticated. @throws ChosenFailure to answer the call in place of its operation
	 */
	before(call: Call): Promise<void>;
	/** Whether calls must reach {@link CallHook.before} although their answers are cached. */
	isArmed(): boolean;
}

/** The services that the steps of a call use. */
export interface Pipeline extends LongCallServices {
	readonly context: Context;
	readonly hook: CallHook | null;
	readonly rateLimits: RateLimits;
	readonly cache: ResponseCache;
	readonly costlyReads: CostlyReads;
	readonly streams: EventStreams;
	readonly idempotentCalls: IdempotentCalls;
	readonly failures: FailureAnswers;
}

/**
 * Handles a call, from its credentials to its answer. Every transport calls this function: HTTP, the MCP
 * tools and the forms of /me. It never rejects, because it returns an answer for every failure too.
 */
export async function handle(pipeline: Pipeline, call: Call): Promise<Answer> {
	const { context, failures } = pipeline;
	call.record.operation = call.operation;
	try {
		if (pipeline.hook !== null) await pipeline.hook.before(call);
		return await context.store.withDeadline(() => answer(pipeline, call));
	} catch (error) {
		return failures.ofCall(error, call);
	}
}

/**
 * Takes the steps of a call in the order fixed by docs/decisions.md. A comment at a step lists the statuses
 * with which it may fail.
 */
async function answer(pipeline: Pipeline, call: Call): Promise<Answer> {
	const { context, authenticator, idempotentCalls } = pipeline;
	const { write } = call.operation;
	if (!call.isFresh) await context.store.checkFreshness(); // 503
	const caller = await authenticator.authenticate(call); // 401, 403, 429, 503
	call.record.agentId ??= caller?.agent.id ?? null;
	const valid = validate(pipeline, call, caller); // 400, 413
	const limited = (next: () => Promise<Answer>) => limit(pipeline, call, valid, next); // 503, 429
	if (write === undefined || call.idempotencyKey === undefined) {
		return limited(() => run(pipeline, call, valid));
	}
	return idempotentCalls.run(context, call, { valid, write, limited }); // 400, 422
}

/** Runs the operation of a call, unless its answer is cached. */
async function run(pipeline: Pipeline, call: Call, valid: ValidCall): Promise<Answer> {
	const { cache, costlyReads, streams } = pipeline;
	const { operation, params, record } = call;
	const { input } = valid;
	if (call.acceptsStream && operation.streams !== undefined) {
		const isHead = call.request.method === "HEAD";
		const filter = operation.streams(input);
		return streamAnswer(isHead ? null : await streams.open(pipeline, call, input, filter)); // 429, 503
	}
	const { wait = 0 } = input.query as { readonly wait?: number };
	if (operation.waits && wait > 0) {
		record.waited = true;
		const result = await longPoll(pipeline, call, input, wait); // 401, 429, 503
		return { ...createAnswer(call, valid, result), hasEtag: false };
	}
	const create = async () => createAnswer(call, valid, await operation.run(input));
	if (operation.invalidatedBy === undefined) return create();
	const query = input.query as Readonly<Record<string, string | number>>;
	const key = cacheKey(operation, params, query);
	return cache.findOrCreate(key, operation, create, (createOnce) =>
		Array.isArray(operation.invalidatedBy)
			? costlyReads.run(call.address(), call.connection.signal, createOnce) // 503
			: createOnce(),
	);
}

/**
 * Validates the query and the body.
 * @throws ResortError `invalid`, `too_large`
 */
function validate({ context, costlyReads }: Pipeline, call: Call, caller: Caller | null): ValidCall {
	const { operation, params, query: sent, body, address, isVisit } = call;
	if (body instanceof ResortError) throw body;
	const { query: parameters, body: schema, adds = false } = operation;
	const given = <T>(by: TSchema, value: T) => (operation.isLocal ? withoutOmitted(by, value) : value);
	if (operation.mediaTypes === undefined) {
		checkNames("parameter", formsOf(parameters), sent, { isStrict: true });
	}
	const query = parameters === undefined ? {} : validateQuery(parameters, given(parameters, sent));
	const ignored = checkNames("field", formsOf(schema), body, { isStrict: refusesUnknown(operation) });
	const valid = schema === undefined ? {} : validateBody(schema, given(schema, trimStrings(body) as object));
	const input = {
		context,
		params,
		query,
		body: valid,
		caller,
		address,
		isVisit,
		takeTurn: () => costlyReads.waitForTurn(call.address(), call.connection.signal),
		waitSignal: null,
	};
	return { input, ignored, adds: typeof adds === "function" ? adds(valid) : adds };
}
