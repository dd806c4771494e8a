import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import type { Expected } from "./expected.ts";
import { type Fields, readAll, type Table } from "./fields.ts";
import type { State } from "./state.ts";

/** The input of an operation's `rule`: a call, the values of its fields, and the model's state. */
export interface Visit<T> {
	readonly state: State;
	readonly nowMs: number;
	readonly id: string;
	readonly read: T;
	readonly call: Call;
}

/** An operation of the contract or a command of the operator. */
export interface Operation {
	/** The required credential; `any` means a key or a session. */
	readonly credential: "none" | "any" | "key" | "session";
	readonly fields: Table;
	/** Returns the expected response to a valid call. The caller is null if no credential is required. */
	readonly rule: (call: Call, state: State, caller: Agent | null) => Expected;
}

/** Creates an operation that requires no credential. */
export function open<F extends Table>(fields: F, rule: (visit: Visit<Fields<F>>) => Expected): Operation {
	return {
		credential: "none",
		fields,
		rule: (call, state) => rule(visitOf(call, state, readAll(fields, call))),
	};
}

/** Creates an operation that requires a credential. */
export function own<F extends Table>(
	fields: F,
	rule: (visit: Visit<Fields<F>>, caller: Agent) => Expected,
	credential: "any" | "key" | "session" = "any",
): Operation {
	return {
		credential,
		fields,
		rule: (call, state, caller) => {
			if (caller === null) throw new Error("who calls is always known");
			return rule(visitOf(call, state, readAll(fields, call)), caller);
		},
	};
}

function visitOf<T>(call: Call, state: State, read: T): Visit<T> {
	return { state, nowMs: state.nowMs, id: call.id ?? "", read, call };
}
