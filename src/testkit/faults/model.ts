import { type Static, Type } from "@sinclair/typebox";
import {
	Answer,
	Nullable,
	OptionalField,
	Text,
	Uuid,
} from "../../resort/schemas.ts";
import type { Fault } from "../../resort/testkit.ts";

/** The longest time that a call is held up: a minute. */
export const MAX_DELAY_MS = 60_000;

/** The most seconds that a failure tells its caller to wait: a day. */
const MAX_RETRY_SECONDS = 86_400;

const MAX_TIMES = 1_000_000;
const MAX_IDS = 100;
const MAX_ERROR = 500;
const MAX_OPERATION = 100;

/** The body of POST /test/faults. */
export const ArmFaultBody = Type.Object(
	{
		operation: Text(1, MAX_OPERATION),
		status: OptionalField(Type.Integer({ minimum: 400, maximum: 599 })),
		error: OptionalField(Text(1, MAX_ERROR)),
		retryAfterSeconds: OptionalField(
			Type.Integer({ minimum: 0, maximum: MAX_RETRY_SECONDS }),
		),
		delayMs: OptionalField(Type.Integer({ minimum: 0, maximum: MAX_DELAY_MS })),
		drop: OptionalField(Type.Boolean({ description: "true or false" })),
		times: OptionalField(Type.Integer({ minimum: 0, maximum: MAX_TIMES })),
		ids: OptionalField(
			Type.Array(Uuid, {
				minItems: 1,
				maxItems: MAX_IDS,
				description: `a list of 1 to ${MAX_IDS} agents' ids`,
			}),
		),
	},
	{ title: "ArmFault" },
);
export type ArmFaultBody = Static<typeof ArmFaultBody>;

/** A fault that is armed. */
export const FaultInfo = Type.Object(
	{
		id: Type.String(),
		operation: Type.String(),
		status: Nullable(Type.Integer()),
		error: Nullable(Type.String()),
		retryAfterSeconds: Nullable(Type.Integer()),
		delayMs: Type.Integer(),
		drop: Type.Boolean(),
		ids: Nullable(Type.Array(Type.String())),
		left: Nullable(Type.Integer()),
	},
	{ title: "Fault" },
);

/** The answer to arming one. */
export const FaultAnswer = Answer({ fault: FaultInfo });

/** The answer that lists them. */
export const FaultsAnswer = Answer({ faults: Type.Array(FaultInfo) });

/** A fault as it is told. */
export function toFaultInfo(fault: Fault): Static<typeof FaultInfo> {
	return { ...fault, ids: fault.ids && [...fault.ids] };
}
