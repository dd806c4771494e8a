import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import type { Expected } from "./expected.ts";
import { type Fields, readAll, type Table } from "./fields.ts";
import type { State } from "./state.ts";

/** What a rule judges by. */
export interface Visit<T> {
	readonly state: State;
	readonly nowMs: number;
	readonly id: string;
	readonly read: T;
	readonly call: Call;
}

/** An operation of the contract or of the host. */
export interface Operation {
	/** The contract's `Auth`: none, S|B, B or S. */
	readonly credential: "none" | "any" | "key" | "session";
	readonly fields: Table;
	/** Answers a call that breaks no bound; the caller is null only if no credential is needed. */
	readonly rule: (call: Call, state: State, caller: Agent | null) => Expected;
}

/** An operation that anyone may call. */
export function open<F extends Table>(fields: F, rule: (visit: Visit<Fields<F>>) => Expected): Operation {
	return {
		credential: "none",
		fields,
		rule: (call, state) => rule(visitOf(call, state, readAll(fields, call))),
	};
}

/** An operation on behalf of its caller. */
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
