import { ResortError } from "../lib/resort-error.ts";
import type { Verdict } from "../lib/sliding-window.ts";
import { knownAgent, touch } from "../resort/agents/known.ts";
import {
	ignoredFields,
	judgeBody,
	judgeQuery,
	trimStrings,
} from "../resort/bounds.ts";
import type { Context } from "../resort/context.ts";
import { failures } from "../resort/failures.ts";
import { type LimitName, limits } from "../resort/limits.ts";
import type { Caller, Input, Operation } from "../resort/operation.ts";
import { requireKnownNames } from "../resort/unknown-names.ts";
import type { Authentication } from "./authentication.ts";
import type { Endings } from "./endings.ts";
import type { Windows } from "./limits.ts";
import type { Places } from "./places.ts";
import type { SignedRequest } from "./provider/call-verifier.ts";

/** The credentials that a call carries. */
export interface Presented {
	/** The Bearer key, empty when there is none behind the scheme; null without such a field. */
	readonly apiKey: string | null;
	/** The session token; empty when there is none. */
	readonly token: string;
	/** What a signature of the provider is judged by; null when the call carries none. */
	readonly signed: SignedRequest | null;
}

/** What a call comes over. */
export interface Connection {
	/** Aborted when the caller is gone. */
	readonly signal: AbortSignal;
	/** Says that the connection may be silent for so many seconds. */
	outlast(seconds: number): void;
}

/** A call as a door makes it; {@link admit} fills in the last fields. */
export interface Call {
	readonly operation: Operation;
	readonly params: Readonly<Record<string, string>>;
	/** By name, as they were sent. */
	query: Readonly<Record<string, string>>;
	/** The body's object, `{}` for none, or the failure that is told once the caller is known. */
	readonly body: object | ResortError;
	readonly presented: Presented;
	/** Gives the key by which limits count the caller's address; it takes some microseconds, and few calls need it. */
	readonly address: () => string;
	readonly connection: Connection;
	/** Whether the agent itself calls, and not a person who looks after it: then it is here now. */
	readonly isVisit: boolean;
	/** What the door itself asks of a caller, before the body is judged; throws when it refuses. */
	readonly guard: (caller: Caller | null) => void;
	/** Who calls, once that is known. */
	caller: Caller | null;
	/** What its limit says, once it has been counted. */
	counted: (Verdict & { readonly name: LimitName }) | null;
	/** The names of the body's fields that nobody reads. */
	ignored: readonly string[];
}

/** What calls are admitted by. */
export interface Access {
	readonly context: Context;
	readonly authentication: Authentication;
	readonly windows: Windows;
	readonly places: Places;
	readonly endings: Endings;
	/** Whether there are limits. */
	readonly rateLimits: boolean;
}

/**
 * Judges a call in the order that docs/decisions.md tells: credential, body and parameters, limit.
 * @returns what its operation is run with
 * @throws ResortError for what is refused
 */
export async function admit(access: Access, call: Call): Promise<Input> {
	const { operation, params, address, isVisit } = call;
	// For GET the front has looked; here the body has come, which may have taken a while.
	const looking =
		operation.method === "GET" ? null : access.context.store.checkFreshness();
	if (looking !== null) await looking;
	const caller =
		operation.credential === "none"
			? null
			: await authenticate(access, call, operation.credential);
	call.guard(caller);
	const noted =
		caller !== null && isVisit ? touch(access.context, caller.agent) : null;
	if (noted !== null) await noted;
	call.caller = caller;
	if (call.body instanceof ResortError) throw call.body;
	// A typing error in a test control would let a test pass that tests nothing.
	if (operation.only === "testkit") {
		requireKnownNames(operation, call.query, call.body);
	}
	const query =
		operation.query === undefined
			? {}
			: judgeQuery(operation.query, call.query);
	const body = readBody(call, call.body);
	await count(access, call);
	const { context } = access;
	return {
		...{ context, params, query, body, caller, address, isVisit },
		waitSignal: null,
	};
}

/**
 * Judges the credential of an admitted call once more, when time has passed.
 * @throws ResortError `unauthorized` when it has ended, `unavailable`
 */
export async function verify(access: Access, call: Call): Promise<void> {
	const { context } = access;
	const { caller, operation } = call;
	if (caller === null || operation.credential === "none") return;
	const { credential } = operation;
	await context.store.withDeadline(async () => {
		await context.store.checkFreshness();
		if (caller.credential.kind !== "proxied") {
			await authenticate(access, call, credential);
			return;
		}
		// A signature holds once; the agent may have been deactivated since.
		const agent = await context.store.read(() =>
			knownAgent(context.store, caller.agent.id),
		);
		if (agent === undefined) throw failures.unauthorized(context.provider?.url);
	});
}

/**
 * Runs the operation of a call that was admitted.
 * @throws ResortError for what its rules refuse
 */
export async function run(
	access: Access,
	call: Call,
	input: Input,
): Promise<object> {
	try {
		return await call.operation.run(input);
	} catch (error) {
		if (error instanceof ResortError && error.details.refundsLimit) {
			await giveBack(access, call);
		}
		throw error;
	}
}

/**
 * Who calls. A signature of the provider decides alone, then a Bearer key, when it is sent and taken; else the
 * session does.
 * @throws ResortError `unauthorized`, or `unavailable`
 */
async function authenticate(
	{ authentication, context }: Access,
	{ presented, address }: Call,
	taken: "any" | "key" | "session",
): Promise<Caller> {
	const { apiKey, token, signed } = presented;
	const noCredential = () => failures.noCredential(context.provider?.url);
	if (taken !== "session") {
		if (authentication.call !== null && signed !== null) {
			return authentication.call(signed);
		}
		if (apiKey !== null) return authentication.key(apiKey, address);
		if (taken === "key") throw noCredential();
	}
	if (token !== "") return authentication.session(token, address);
	if (taken === "any") throw noCredential();
	throw new ResortError("unauthorized", "Unauthorized", {
		hint: "Send the session cookie that POST /api/session sets.",
	});
}

function readBody(call: Call, sent: object): object {
	const { body: schema, alternative, prepare } = call.operation;
	call.ignored = ignoredFields([schema, alternative?.body], sent);
	if (schema === undefined) return {};
	const trimmed = trimStrings(sent) as object;
	if (alternative?.when(trimmed)) return {};
	return judgeBody(schema, prepare?.(trimmed) ?? trimmed);
}

/** @throws ResortError `rate_limited` when the call is one too many */
async function count(
	{ windows, rateLimits, context }: Access,
	call: Call,
): Promise<void> {
	const { limit: name } = call.operation;
	if (name === undefined || !rateLimits) return;
	const verdict = await windows[name].admit(keyOf(call, name), context.clock());
	call.counted = { ...verdict, name };
	if (verdict.admitted) return;
	const { resetSeconds } = verdict;
	throw new ResortError("rate_limited", "Rate limit exceeded", {
		hint: `Wait ${resetSeconds} seconds, then repeat the call.`,
		retryAfterSeconds: resetSeconds,
	});
}

/** Takes back that a call was counted. */
async function giveBack(
	{ windows, context }: Access,
	call: Call,
): Promise<void> {
	const { counted } = call;
	if (counted === null) return;
	await windows[counted.name].refund(
		keyOf(call, counted.name),
		context.clock(),
	);
	call.counted = { ...counted, remaining: counted.remaining + 1 };
}

function keyOf({ caller, address }: Call, name: LimitName): string {
	return limits[name].key === "agent" && caller !== null
		? caller.agent.id
		: address();
}
