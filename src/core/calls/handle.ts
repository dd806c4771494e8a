import type { TSchema } from "@sinclair/typebox";
import { SECOND_MS } from "../lib/clock.ts";
import type { CostlyReads } from "../lib/costly-reads.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Caller } from "../resort/caller.ts";
import type { Context } from "../resort/context.ts";
import { limits } from "../resort/limits.ts";
import { type Input, refusesUnknown } from "../resort/operation.ts";
import {
	checkNames,
	formsOf,
	trimStrings,
	validateBody,
	validateQuery,
	withoutOmitted,
} from "../resort/validation.ts";
import type { Answer, Call } from "./call.ts";
import type { EventStreams } from "./event-streams.ts";
import type { FailureAnswers } from "./failure-answer.ts";
import type { IdempotentCalls } from "./idempotent-calls.ts";
import { injectFault } from "./inject-fault.ts";
import { type LongCallServices, longPoll } from "./long-poll.ts";
import { type CountedCall, type RateLimits, requireAdmitted } from "./rate-limits.ts";
import { cacheKey, type ResponseCache } from "./response-cache.ts";
import { serialize, streamAnswer } from "./serialize.ts";

/** The services that the steps of a call use. */
export interface Pipeline extends LongCallServices {
	readonly context: Context;
	readonly rateLimits: RateLimits;
	readonly cache: ResponseCache;
	readonly costlyReads: CostlyReads;
	readonly streams: EventStreams;
	readonly idempotentCalls: IdempotentCalls;
	readonly failures: FailureAnswers;
}

/**
 * What a call has counted towards rate limits so far, so that the counting can be undone if the call fails.
 * Both fields are null until the call has been counted.
 */
type Progress = { counted: CountedCall | null; addition: CountedCall | null };

/**
 * Handles a call, from its credentials to its answer. Every transport calls this function: HTTP, the MCP
 * tools and the forms of /me. It never rejects, because it returns an answer for every failure too.
 */
export async function handle(pipeline: Pipeline, call: Call): Promise<Answer> {
	const { context, rateLimits, failures } = pipeline;
	const progress: Progress = { counted: null, addition: null };
	call.record.operation = call.operation;
	try {
		if (context.testkit !== null) await injectFault(context.testkit, call);
		return await context.store.withDeadline(() => run(pipeline, call, progress));
	} catch (error) {
		let { counted } = progress;
		const { addition } = progress;
		const { refundsLimit, refusesCredential } = error instanceof ResortError ? error.details : {};
		if (refusesCredential) call.record.hasWrongCredential = true;
		if (refundsLimit && counted !== null) {
			counted = await rateLimits.refund(counted);
		}
		if (addition?.admitted) await rateLimits.refund(addition);
		else counted = addition ?? counted;
		return failures.of(error, call.request, rateLimitHeaders(counted));
	}
}

/**
 * Runs the steps of a call in the order fixed by docs/decisions.md. A comment at a step lists the statuses
 * with which it may fail.
 */
async function run(pipeline: Pipeline, call: Call, progress: Progress): Promise<Answer> {
	const { context, authenticator, cache } = pipeline;
	const { costlyReads, streams } = pipeline;
	const { operation, params, record } = call;
	if (!call.isFresh) await context.store.checkFreshness();
	const caller = await authenticator.authenticate(call); // 401, 403, 429, 503
	record.agentId ??= caller?.agent.id ?? null;
	const { input, ignored, adds } = validate(pipeline, call, caller); // 400, 413
	const { write } = operation;
	if (write !== undefined && call.idempotencyKey !== undefined) {
		const { prefersMinimal } = call;
		const answer = await pipeline.idempotentCalls.answer(
			context,
			// The validated body, so that a repetition may differ in white space, in the order of fields and in
			// ignored ones.
			{ ...call, body: input.body as object },
			caller,
			{
				admit: () => admit(pipeline, call, caller, adds, progress),
				*run() {
					const result = yield* write(input);
					return serialize(operation, input, result, {
						ignored,
						prefersMinimal,
					});
				},
				revoke: () => revoke(pipeline, progress),
			}, // 400, 422
		);
		const headers = rateLimitHeaders(progress.counted);
		return { ...answer, headers: { ...headers, ...answer.headers } };
	}
	await admit(pipeline, call, caller, adds, progress); // 503, 429

	if (call.acceptsStream && operation.streams !== undefined) {
		const isHead = call.request.method === "HEAD";
		const filter = operation.streams(input);
		return streamAnswer(isHead ? null : await streams.open(pipeline, call, input, filter));
	}
	const { wait = 0 } = input.query as { readonly wait?: number };
	if (operation.waits && wait > 0) {
		record.waited = true;
		const result = await longPoll(pipeline, call, input, wait);
		return { ...serialize(operation, input, result), etag: null };
	}
	if (operation.invalidatedBy !== undefined) {
		const query = input.query as Readonly<Record<string, string | number>>;
		const key = cacheKey(operation, params, query);
		const cached = cache.find(key);
		if (cached !== undefined) return cached.answer;
		const create = () =>
			cache.getOrCreate(key, operation, async () => serialize(operation, input, await operation.run(input)));
		const isList = Array.isArray(operation.invalidatedBy);
		return isList ? costlyReads.run(call.address(), call.connection.signal, create) : create(); // 503
	}
	const result = await operation.run(input);
	const headers = rateLimitHeaders(progress.counted);
	const { prefersMinimal } = call;
	return serialize(operation, input, result, {
		headers,
		ignored,
		prefersMinimal,
	});
}

/**
 * Requires that a call may run, and counts it towards its rate limits.
 * @param adds whether the call adds rows
 * @throws ResortError `full` if the call adds rows and the resort is full; `rate_limited`
 */
async function admit(
	{ context, rateLimits }: Pipeline,
	call: Call,
	caller: Caller | null,
	adds: boolean,
	progress: Progress,
): Promise<void> {
	if (adds) context.capacity.requireRoom();
	progress.counted = await rateLimits.count(call, caller);
	requireAdmitted(progress.counted);
	if (adds) progress.addition = await rateLimits.countAddition(call, caller);
	requireAdmitted(progress.addition);
}

/** Undoes the counting by {@link admit}. */
async function revoke({ rateLimits }: Pipeline, progress: Progress): Promise<void> {
	const { counted, addition } = progress;
	if (counted !== null) progress.counted = await rateLimits.refund(counted);
	if (addition !== null) await rateLimits.refund(addition);
	progress.addition = null;
}

/**
 * Validates the query and the body.
 * @returns the operation's input, the names of the body's unknown fields, and whether the call adds rows
 * @throws ResortError `invalid`, `too_large`
 */
function validate(
	{ context, costlyReads }: Pipeline,
	call: Call,
	caller: Caller | null,
): {
	readonly input: Input;
	readonly ignored: readonly string[];
	readonly adds: boolean;
} {
	const { operation, params, query: sent, body, address, isVisit } = call;
	if (body instanceof ResortError) throw body;
	const { query: parameters, body: schema, adds = false } = operation;
	const given = <T>(by: TSchema, value: T) =>
		operation.only === "testkit" ? withoutOmitted(by, value) : value;
	if (operation.mediaTypes === undefined) {
		checkNames("parameter", formsOf(parameters), sent, true);
	}
	const query = parameters === undefined ? {} : validateQuery(parameters, given(parameters, sent));
	const ignored = checkNames("field", formsOf(schema), body, refusesUnknown(operation));
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

/**
 * Returns the header fields of draft-ietf-httpapi-ratelimit-headers-10, or none if the call has no rate
 * limit.
 */
function rateLimitHeaders(counted: CountedCall | null): Answer["headers"] {
	if (counted === null) return {};
	const { name, limit, remaining, resetSeconds } = counted;
	const { windowMs } = limits[name];
	return {
		"ratelimit-policy": `"${name}";q=${limit};w=${windowMs / SECOND_MS}`,
		ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
	};
}
