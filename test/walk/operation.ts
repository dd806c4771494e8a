import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import type { Expected } from "./expected.ts";
import { nothing, type Reader, type Reading } from "./fields.ts";
import type { State } from "./state.ts";

/** What a rule judges by. */
export interface Visit<T> {
	readonly state: State;
	readonly nowMs: number;
	/** What the path names. */
	readonly id: string;
	/** What was read of the body or the query. */
	readonly read: T;
	readonly call: Call;
}

/** An operation of the contract, in the order in which a call is judged. */
export interface Operation {
	/** The contract's `Auth`: none, S|B, B or S. */
	readonly credential: "none" | "any" | "key" | "session";
	/** The names of the fields of its body. */
	readonly knows: readonly string[];
	/** Reads parameters and body; what it gives is the rule, for the caller if there is one. */
	readonly read: (
		call: Call,
		state: State,
	) => Reading<(caller: Agent | null) => Expected>;
}

/** An operation that anyone may call. */
export function open<T>(
	reader: Reader<T>,
	rule: (visit: Visit<T>) => Expected,
): Operation {
	return {
		credential: "none",
		knows: reader.knows ?? [],
		read: (call, state) => {
			const reading = reader(call);
			if ("broken" in reading) return reading;
			return { value: () => rule(visitOf(call, state, reading.value)) };
		},
	};
}

/** An operation on behalf of its caller. */
export function own<T>(
	reader: Reader<T>,
	rule: (visit: Visit<T>, caller: Agent) => Expected,
	credential: "any" | "key" | "session" = "any",
): Operation {
	return {
		credential,
		knows: reader.knows ?? [],
		read: (call, state) => {
			const reading = reader(call);
			if ("broken" in reading) return reading;
			return {
				value: (caller) => {
					if (caller === null) throw new Error("who calls is always known");
					return rule(visitOf(call, state, reading.value), caller);
				},
			};
		},
	};
}

/** An operation that reads neither body nor query. */
export const plain = {
	open: (rule: (visit: Visit<undefined>) => Expected) => open(nothing, rule),
	own: (rule: (visit: Visit<undefined>, caller: Agent) => Expected) =>
		own(nothing, rule),
};

function visitOf<T>(call: Call, state: State, read: T): Visit<T> {
	return { state, nowMs: state.nowMs, id: call.id ?? "", read, call };
}
