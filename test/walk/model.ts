import { type Call, FOREIGN_ORIGIN, methodOf } from "./call.ts";
import type { Agent } from "./entities.ts";
import {
	brokenBound,
	type Expected,
	refusal,
	someText,
	words,
} from "./expected.ts";
import { BROKEN, isTooLarge, parse } from "./fields.ts";
import { Limits, type Verdict } from "./limits.ts";
import type { Operation } from "./operation.ts";
import { agentOperations } from "./rules-agents.ts";
import { eventOperations } from "./rules-events.ts";
import { experienceOperations, OWN_EXPERIENCES } from "./rules-experiences.ts";
import { hidingOperations } from "./rules-hidden.ts";
import { hostOperations } from "./rules-host.ts";
import { houseOperations } from "./rules-house.ts";
import { overviewOperations } from "./rules-overview.ts";
import { stayOperations } from "./rules-stays.ts";
import { State } from "./state.ts";

const operations: Readonly<Record<string, Operation>> = {
	...agentOperations,
	...stayOperations,
	...experienceOperations,
	...houseOperations,
	...eventOperations,
	...overviewOperations,
	...hostOperations,
	...hidingOperations,
};

const unauthorized = refusal(401, "Unauthorized");
const unknownPath = refusal(404, words);
const tooLarge = refusal(413, words);
const foreignOrigin = refusal(403, words);

const GIVES_BACK = "POST /api/checkout";

/** How the resort that is walked differs from the usual one. */
export interface Rules {
	readonly rateLimits: boolean;
	/** After how long a stay closes by itself; 0 is never. */
	readonly maxStayMs: number;
}

/**
 * The whole service in memory, written from the contract and its decisions alone: what it must answer
 * to each call, given all the calls before.
 */
export class Model {
	readonly state: State;
	/** Null when nobody is limited. */
	readonly limits: Limits | null;

	constructor({ rateLimits, maxStayMs }: Rules) {
		this.state = new State(maxStayMs);
		this.limits = rateLimits ? new Limits() : null;
	}

	/**
	 * Judges a call in the order of docs/decisions.md, "Errors and order of judgement", and makes the change that it
	 * makes.
	 */
	expect(call: Call, nowMs: number): Expected {
		this.state.nowMs = nowMs;
		const operation = operations[operationOf(call)];
		if (operation === undefined) return unknownPath;
		const caller = this.#authenticate(operation, call);
		if (caller === undefined) return unauthorized;
		if (isForeign(operation, call)) return foreignOrigin;
		if (caller) this.state.hear(caller);
		if (isTooLarge(call)) return tooLarge;
		const reading = operation.read(call, this.state);
		if ("broken" in reading) return brokenBound(reading.broken);
		const verdict = this.limits?.admit(call, caller?.id ?? "", nowMs) ?? null;
		const expected =
			verdict?.admitted === false
				? refusal(429, "Rate limit exceeded")
				: reading.value(caller);
		const final = this.#afterRules(call, caller, expected, verdict);
		return {
			...withIgnored(expected, operation, call),
			headers: { ...expected.headers, ...told(final) },
		};
	}

	/** A check-out that the rules refuse gives its place in the limit back. */
	#afterRules(
		call: Call,
		caller: Agent | null,
		{ status }: Expected,
		verdict: Verdict | null,
	): Verdict | null {
		const isGivenBack = call.operation === GIVES_BACK && status === 400;
		if (verdict === null || !isGivenBack) return verdict;
		this.limits?.giveBack(call.operation, caller?.id ?? "");
		return { ...verdict, remaining: verdict.remaining + 1 };
	}

	/** @returns null when nobody needs to be known, undefined when the credential is not good */
	#authenticate(
		{ credential }: Operation,
		{ key, session }: Call,
	): Agent | null | undefined {
		if (credential === "none") return null;
		const usesKey =
			credential === "key" || (credential === "any" && key !== undefined);
		return usesKey
			? this.state.keys.get(key ?? "")
			: this.#agentOfSession(session ?? "");
	}

	#agentOfSession(token: string): Agent | undefined {
		const session = this.state.sessions.get(token);
		return session && this.state.nowMs < session.endsAt
			? session.agent
			: undefined;
	}
}

/** A list for `me` is an operation of its own, which needs a credential. */
function operationOf({ operation, query = [] }: Call): string {
	const [, creator] = query.findLast(([name]) => name === "creatorId") ?? [];
	return operation === "GET /api/experiences" && creator === "me"
		? OWN_EXPERIENCES
		: operation;
}

/** A success tells which fields of the body nobody reads: 10 at most, each cut to 64 characters. */
function withIgnored(
	expected: Expected,
	{ knows }: Operation,
	call: Call,
): Expected {
	const body = parse(call);
	if (expected.status >= 300 || body === BROKEN) return expected;
	const ignored = Object.keys(body)
		.filter((name) => !knows.includes(name))
		.slice(0, 10)
		.map((name) => [...name].slice(0, 64).join(""));
	return ignored.length === 0
		? expected
		: { ...expected, body: { ...expected.body, ignored } };
}

/** Whether a page of another origin makes a change without a credential or with the guest's cookie. */
function isForeign({ credential }: Operation, call: Call): boolean {
	const needsNoKey =
		credential === "none" ||
		credential === "session" ||
		(credential === "any" && call.key === undefined);
	return (
		needsNoKey && call.origin === FOREIGN_ORIGIN && methodOf(call) !== "GET"
	);
}

/** The header fields of a limited call. */
function told(verdict: Verdict | null): NonNullable<Expected["headers"]> {
	if (verdict === null) return {};
	const { admitted, count, windowMs, remaining } = verdict;
	const policy = `;q=${count};w=${windowMs / 1_000}`;
	const state = `;r=${remaining};t=`;
	return {
		"ratelimit-policy": someText(policy, (text) => text.endsWith(policy)),
		ratelimit: someText(state, (text) => text.includes(state)),
		"retry-after": admitted ? null : String(verdict.retryAfterSeconds),
	};
}
