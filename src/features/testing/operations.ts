import { Type } from "@sinclair/typebox";
import { operation } from "../../core/resort/operation.ts";
import { Answer, Timestamp, Uuid } from "../../core/resort/schemas.ts";
import { ArmFaultBody, Fault } from "./faults.ts";
import { forgetAllEvents } from "./queries.ts";
import { RecordedCall } from "./recorded-calls.ts";
import { cutConnections, getState, MoveClockBody, moveClock, resetResort, testkitOf } from "./service.ts";

const TESTKIT = {
	tag: { name: "Test controls", description: "What tests change. Anybody who can call may use it." },
	isLocal: true,
	credential: "none",
} as const;

/** An answer with the state of the instance. */
export const StateAnswer = Answer({
	now: Timestamp,
	frozen: Type.Boolean(),
	agents: Type.Integer(),
	guests: Type.Integer(),
});

/** An answer with the numbers of event streams and waiting calls whose connections were cut. */
export const CutAnswer = Answer({ streams: Type.Integer(), calls: Type.Integer() });

/** The operations under /test. */
export const testOperations = [
	operation("POST /test/reset", {
		...TESTKIT,
		id: "resetResort",
		summary: "Reset the instance",
		description:
			"Restores the fixtures (with new dates), the clock and the random generator to their " +
			"initial state. Clears limits, faults and recorded calls. Event ids start again at 1; " +
			"waiting calls and streams get `reset`.",
		answers: { 200: StateAnswer },
		run: ({ context }) => resetResort(context),
	}),
	operation("POST /test/clock", {
		...TESTKIT,
		id: "moveClock",
		summary: "Move the clock, or stop it",
		description:
			"Moves the clock by `advanceSeconds` or to `now`. `frozen: true` stops it: it then changes only when it is moved. `frozen: false` lets it run again.",
		body: MoveClockBody,
		answers: { 200: StateAnswer },
		run: ({ context, body }) => moveClock(context, body),
	}),
	operation("GET /test/state", {
		...TESTKIT,
		id: "getState",
		summary: "The time and the numbers of agents and guests",
		description: "Counts agents that are not deactivated, and open stays.",
		answers: { 200: StateAnswer },
		run: ({ context }) => getState(context),
	}),
	operation("POST /test/events", {
		...TESTKIT,
		id: "forgetEvents",
		summary: "Delete all events so far",
		description:
			"Requires `forget: true`. Readers with a cursor then get `reset`: waiting calls and streams immediately, all others with their next call.",
		body: Type.Object({ forget: Type.Literal(true) }),
		answers: { 200: Answer({}) },
		async run({ context }) {
			const { store, eventLog } = context;
			await store.write(() => forgetAllEvents(store));
			eventLog.forget();
			return {};
		},
	}),
	operation("POST /test/streams", {
		...TESTKIT,
		id: "cutStreams",
		summary: "Cut all event streams and waiting calls",
		description:
			"Requires `cut: true`. Closes their connections as if the network had failed: a waiting " +
			"call gets no response, and a stream ends in the middle of its body. Returns how many there " +
			"were.",
		body: Type.Object({ cut: Type.Literal(true) }),
		answers: { 200: CutAnswer },
		run: ({ context }) => cutConnections(context),
	}),
	operation("POST /test/faults", {
		...TESTKIT,
		id: "armFault",
		summary: "Make calls of an operation fail",
		description:
			"`operation` is an operation's id, its method and path (`GET /api/agents/{id}/status`), or " +
			"`*` for all. With `status` or `drop` (closes the connection without a response), the " +
			"operation is not run, and no credential is needed. `body` replaces the JSON of the " +
			"response, with `contentType`, by default `text/html`. `delayMs` delays the call first; if " +
			"it is set alone, the real response follows. The fault affects the next `times` calls " +
			"(default 1); 0 means all calls until it is cleared. With `ids`, it affects only calls with " +
			"one of these agents in the path or in `ids`. If several faults are armed for an operation, " +
			"the oldest one affects the call.",
		body: ArmFaultBody,
		answers: { 200: Answer({ fault: Fault }) },
		run: ({ context, body }) => ({ fault: testkitOf(context).faults.arm(body) }),
	}),
	operation("GET /test/faults", {
		...TESTKIT,
		id: "listFaults",
		summary: "The armed faults",
		description: "`left` is the number of calls that the fault still affects; null means all.",
		answers: { 200: Answer({ faults: Type.Array(Fault) }) },
		run: ({ context }) => ({ faults: [...testkitOf(context).faults.armed] }),
	}),
	operation("DELETE /test/faults", {
		...TESTKIT,
		id: "clearFaults",
		summary: "Disarm all faults",
		description: "Calls that are being delayed remain delayed.",
		answers: { 200: Answer({}) },
		run({ context }) {
			testkitOf(context).faults.clear();
			return {};
		},
	}),
	operation("GET /test/calls", {
		...TESTKIT,
		id: "listCalls",
		summary: "The recorded calls",
		description:
			"The calls since the start or the last reset, the newest first, at most 10,000; `at` is " +
			"when a call began. A call is listed once it has ended; calls under `/test` are not listed. " +
			"`agentId` is the caller, null without authentication; `status` is null when a fault or the " +
			"caller closed the connection before the response. For calls to `/mcp` and to pages of " +
			"`/me`, `operation` is the last one that the call used.",
		query: Type.Object({ operation: Type.Optional(Type.String()), agentId: Type.Optional(Uuid) }),
		answers: { 200: Answer({ calls: Type.Array(RecordedCall) }) },
		run({ context, query: { operation, agentId } }) {
			const { calls, faults } = testkitOf(context);
			const ids = operation ? faults.idsOf(operation) : null;
			const id = agentId?.toLowerCase();
			const isWanted = (call: RecordedCall) =>
				(ids === null || ids.has(call.operation ?? "")) && (id === undefined || call.agentId === id);
			return { calls: calls.list().filter(isWanted) };
		},
	}),
	operation("DELETE /test/calls", {
		...TESTKIT,
		id: "forgetCalls",
		summary: "Clear the recorded calls",
		description: "Calls that are in progress are not recorded.",
		answers: { 200: Answer({}) },
		run({ context }) {
			testkitOf(context).calls.clear();
			return {};
		},
	}),
];
