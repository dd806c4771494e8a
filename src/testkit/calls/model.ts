import { type Static, Type } from "@sinclair/typebox";
import { toTimestamp } from "../../lib/clock.ts";
import { Answer, Nullable, Timestamp, Uuid } from "../../resort/schemas.ts";
import type { RecordedCall } from "../../resort/testkit.ts";

/** The query of GET /test/calls. */
export const CallsQuery = Type.Object({
	operation: Type.Optional(Type.String()),
	agentId: Type.Optional(Uuid),
});

/** A call that was answered. */
export const CallInfo = Type.Object(
	{
		operation: Nullable(Type.String()),
		method: Type.String(),
		path: Type.String(),
		query: Type.String(),
		agentId: Nullable(Type.String()),
		status: Nullable(Type.Integer()),
		at: Timestamp,
		requestId: Type.String(),
		fault: Nullable(Type.String()),
	},
	{ title: "Call" },
);

/** The answer that lists them. */
export const CallsAnswer = Answer({ calls: Type.Array(CallInfo) });

/** A call as it is told. */
export function toCallInfo({
	atMs,
	...call
}: RecordedCall): Static<typeof CallInfo> {
	return { ...call, at: toTimestamp(atMs) };
}
