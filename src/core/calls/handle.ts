import type { TSchema } from "@sinclair/typebox";
import { SECOND_MS } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { WaitSignal } from "../lib/wait-signal.ts";
import { type Caller, lockActive } from "../resort/agents/authenticated-agent.ts";
import type { Context } from "../resort/context.ts";
import type { Input, Operation } from "../resort/operation.ts";
import { ME } from "../resort/schemas.ts";
import {
	checkNames,
	formsOf,
	trimStrings,
	validateBody,
	validateQuery,
	withoutOmitted,
} from "../resort/validation.ts";
import type { Task } from "../store/task.ts";
import { type Answer, createAnswer, type FailureAnswers, streamAnswer } from "./answer.ts";
import type { Call, ValidCall } from "./call.ts";
import type { CostlyReads } from "./concurrency-limit.ts";
import { type LongCallServices, openEventStream } from "./event-streams.ts";
import type { IdempotentCalls } from "./idempotent-calls.ts";
import type { RateLimits } from "./rate-limits.ts";
import { cacheKey, type ResponseCache } from "./response-cache.ts";

/** The part of a feature that runs before each call. */
export interface CallHook {
	/** Runs before the call is authenticated. Returns the call's answer, or null to run the operation. */
	before(call: Call): Promise<Answer | null>;
	/** Whether calls must reach {@link CallHook.before} even if their answers are cached. */
	isArmed(): boolean;
}

/** The seconds by which the idle timeout of a connection exceeds the waiting time of its call. */
const SPARE_SECONDS = 15;

/** The services that the steps of a call use. */
export interface Pipeline extends LongCallServices {
	readonly context: Context;
	readonly hook: CallHook | null;
	readonly cache: ResponseCache;
	readonly costlyReads: CostlyReads;
	readonly idempotentCalls: IdempotentCalls;
	readonly rateLimits: RateLimits;
	readonly failures: FailureAnswers;
}

/**
 * Adapts an operation to the query of a call. An operation with the credential `own` requires a credential
 * only for `creatorId=me`: with this parameter, the result requires it and is not cached. Otherwise, the
 * result ignores credentials.
 */
export function operationFor(operation: Operation, query: Readonly<Record<string, string>>): Operation {
	if (operation.credential !== "own") return operation;
	return query.creatorId === ME
		? { ...operation, credential: "any", invalidatedBy: undefined }
		: { ...operation, credential: "none" };
}

/**
 * Handles a call, from its credentials to its answer. Every transport calls this function. It never rejects,
 * because it also returns an answer for every failure.
 */
export async function handle(pipeline: Pipeline, call: Call): Promise<Answer> {
	const { context, failures } = pipeline;
	call.record.operation = call.operation;
	try {
		const chosen = pipeline.hook === null ? null : await pipeline.hook.before(call);
		return chosen ?? (await context.store.withDeadline(() => answer(pipeline, call)));
	} catch (error) {
		return failures.of(error, call.record);
	}
}

/**
 * Performs the steps of a call in the order of docs/decisions.md. A comment at a step lists the statuses with
 * which it may fail.
 */
async function answer(pipeline: Pipeline, call: Call): Promise<Answer> {
	const { context, authenticator, idempotentCalls, rateLimits } = pipeline;
	const { write } = call.operation;
	if (!call.isFresh) await context.store.checkFreshness(); // 503
	const caller = await authenticator.authenticate(call); // 401, 403, 429, 503
	call.record.agentId ??= caller?.agent.id ?? null;
	const valid = validate(pipeline, call, caller); // 400, 413
	const limited = (next: () => Promise<Answer>) => rateLimits.limit(call, valid, next); // 503, 429
	if (write === undefined || call.idempotencyKey === undefined) {
		return limited(() => run(pipeline, call, valid));
	}
	return idempotentCalls.run(call, valid, (input) => asCaller(input, write), limited); // 400, 422
}

/** Runs the operation of a call, unless its answer is cached. */
async function run(pipeline: Pipeline, call: Call, valid: ValidCall): Promise<Answer> {
	const { cache, costlyReads } = pipeline;
	const { operation, params, record } = call;
	const { input } = valid;
	if (call.acceptsStream && operation.streams !== undefined) {
		const isHead = call.record.method === "HEAD";
		const filter = operation.streams(input);
		return streamAnswer(isHead ? null : await openEventStream(pipeline, call, input, filter)); // 429, 503
	}
	const { wait = 0 } = input.query as { readonly wait?: number };
	if (operation.waits && wait > 0) {
		record.waited = true;
		const result = await longPoll(pipeline, call, input, wait); // 401, 429, 503
		return { ...createAnswer(call, valid, result), hasEtag: false };
	}
	const create = async () => createAnswer(call, valid, await perform(operation, input));
	if (operation.invalidatedBy === undefined) return create();
	const query = input.query as Readonly<Record<string, string | number>>;
	const key = cacheKey(operation, params, query);
	const cached = cache.find(key);
	if (cached !== undefined) return cached.answer;
	const findOrCreate = () => cache.findOrCreate(key, operation, create);
	if (!Array.isArray(operation.invalidatedBy)) return findOrCreate();
	// A list that must be read from the database waits for its turn.
	return costlyReads.run(call.address(), call.connection.signal, findOrCreate); // 503
}

/** Performs an operation. A task runs in a transaction of its own. */
function perform({ run, read, write, change = write }: Operation, input: Input): object | Promise<object> {
	const { store } = input.context;
	if (change !== undefined) return store.write(() => asCaller(input, change));
	if (read !== undefined) return store.read(() => read(input));
	if (run !== undefined) return run(input);
	throw new Error("an operation without run, read, write and change");
}

/** Runs a task that changes data, after it has locked the caller. @throws ResortError `unauthorized` */
function* asCaller(input: Input, change: (input: Input) => Task<object>): Task<object> {
	if (input.caller !== null) yield* lockActive(input.context, input.caller.agent.id);
	return yield* change(input);
}

/**
 * Runs an operation that waits. The wait ends after `seconds`, or when the client disconnects, the credential
 * becomes invalid or the instance stops. If a test cuts the call, the transport closes the connection.
 * @throws ResortError `rate_limited` or `unavailable` if too many calls wait, `unauthorized` if the
 * credential has become invalid; errors of the operation
 */
async function longPoll(
	{ authenticator, concurrency }: LongCallServices,
	call: Call,
	input: Input,
	seconds: number,
): Promise<object> {
	const { caller, context } = input;
	const { openCalls } = context;
	// The call is counted when its wait begins, so a call whose result is available at once does not count.
	let release = () => {};
	const waitSignal = new WaitSignal(seconds * SECOND_MS, () => {
		release = concurrency.acquire("call", call.address());
	});
	const { connection, record } = call;
	const end = () => waitSignal.end();
	const cut = () => {
		record.isDropped = true;
		end();
	};
	openCalls?.calls.add(cut);
	const check = () => void authenticator.reauthenticate(call, caller).catch(end);
	const unwatch = authenticator.watch(caller, check);
	connection.setTimeout(seconds + SPARE_SECONDS);
	connection.signal.addEventListener("abort", end);
	if (connection.signal.aborted) end();
	try {
		const result = await perform(call.operation, { ...input, waitSignal });
		await authenticator.reauthenticate(call, caller);
		return result;
	} finally {
		waitSignal.end();
		connection.signal.removeEventListener("abort", end);
		unwatch();
		openCalls?.calls.delete(cut);
		release();
	}
}

/** Validates the query and the body. @throws ResortError `invalid`, `too_large` */
function validate({ context, costlyReads }: Pipeline, call: Call, caller: Caller | null): ValidCall {
	const { operation, params, query: sent, body, address, isVisit } = call;
	if (body instanceof ResortError) throw body;
	const { query: parameters, body: schema, adds = false } = operation;
	const given = <T>(by: TSchema, value: T) => (operation.isLocal ? withoutOmitted(by, value) : value);
	if (operation.mediaTypes === undefined) {
		checkNames("parameter", formsOf(parameters), sent, { isStrict: true });
	}
	const query = parameters === undefined ? {} : validateQuery(parameters, given(parameters, sent));
	const ignored = checkNames("field", formsOf(schema), body, { isStrict: operation.refusesUnknown });
	const valid = schema === undefined ? {} : validateBody(schema, given(schema, trimStrings(body) as object));
	const input = {
		context,
		params,
		query,
		body: valid,
		caller,
		address,
		isVisit,
		takeTurn: () => costlyReads.waitForTurn(address(), call.connection.signal),
		waitSignal: null,
	};
	return { input, ignored, adds: typeof adds === "function" ? adds(valid) : adds };
}
