import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import { type Expected, refusal, words } from "./expected.ts";
import type { Operation } from "./operation.ts";
import { agentOperations } from "./rules-agents.ts";
import { eventOperations } from "./rules-events.ts";
import { experienceOperations, OWN_EXPERIENCES } from "./rules-experiences.ts";
import { hidingOperations, hostOperations } from "./rules-host.ts";
import { overviewOperations } from "./rules-overview.ts";
import { postcardOperations } from "./rules-postcards.ts";
import { stayOperations } from "./rules-stays.ts";
import { State } from "./state.ts";

/** All operations of the model. */
export const operations: Readonly<Record<string, Operation>> = {
	...agentOperations,
	...stayOperations,
	...experienceOperations,
	...postcardOperations,
	...eventOperations,
	...overviewOperations,
	...hostOperations,
	...hidingOperations,
};

const unauthorized = refusal(401, "Unauthorized");

/** The settings of the resort that the model depends on. */
export interface Rules {
	readonly maxStayMs: number;
}

/**
 * A model of the whole service in memory. It is written from the contract and docs/decisions.md, and returns
 * the expected response to each call.
 */
export class Model {
	readonly state: State;

	constructor({ maxStayMs }: Rules) {
		this.state = new State(maxStayMs);
	}

	/**
	 * Returns the expected response to a call, and changes the model's state as the call changes the resort.
	 * Checks the call in the order of docs/decisions.md, "Errors and order of judgement".
	 */
	expect(call: Call, nowMs: number): Expected {
		this.state.nowMs = nowMs;
		const operation = operationOf(call);
		const caller = this.#authenticate(operation, call);
		if (caller === undefined) return unauthorized;
		if (caller) this.state.hear(caller);
		if (call.isBroken) return refusal(400, words);
		return operation.rule(call, this.state, caller);
	}

	/** @returns null if the operation requires no credential; undefined if the credential is not valid */
	#authenticate({ credential }: Operation, { key, session = "" }: Call): Agent | null | undefined {
		if (credential === "none") return null;
		const usesKey = credential === "key" || (credential === "any" && key !== undefined);
		if (usesKey) return this.state.keys.get(key ?? "");
		const open = this.state.sessions.get(session);
		return open && this.state.nowMs < open.endsAt ? open.agent : undefined;
	}
}

/**
 * Returns the operation of a call. `GET /api/experiences?creatorId=me` is a separate operation, because it
 * requires a credential.
 */
export function operationOf({ operation, query = [] }: Pick<Call, "operation" | "query">): Operation {
	const [, creator] = query.findLast(([name]) => name === "creatorId") ?? [];
	const isOwn = operation === "GET /api/experiences" && creator === "me";
	const found = operations[isOwn ? OWN_EXPERIENCES : operation];
	if (found === undefined) throw new Error(`the model lacks ${operation}`);
	return found;
}
