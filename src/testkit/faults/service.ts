import { ResortError } from "../../lib/resort-error.ts";
import type { Fault, FaultPlan, Faults } from "../../resort/testkit.ts";
import { requireOperation } from "../operation-ids.ts";
import type { ArmFaultBody } from "./model.ts";

/**
 * Arms the fault that a body tells of.
 * @throws ResortError `invalid` when there is no such operation, nothing would happen, what is told does not go
 * together, or too many are armed
 */
export function armFault(faults: Faults, body: ArmFaultBody): Fault {
	const { operation, times, ids } = body;
	requireOperation(faults.operations, operation);
	requireSense(body);
	const plan: FaultPlan = {
		operation,
		status: body.status ?? null,
		error: body.error ?? null,
		retryAfterSeconds: body.retryAfterSeconds ?? null,
		delayMs: body.delayMs ?? 0,
		drop: body.drop ?? false,
		ids: ids?.map((id) => id.toLowerCase()) ?? null,
	};
	return faults.arm(plan, times ?? 1);
}

function requireSense(body: ArmFaultBody): void {
	const { status, error, retryAfterSeconds, delayMs, drop } = body;
	if (status == null && !drop && delayMs == null) {
		throw new ResortError("invalid", "Give status, drop or delayMs");
	}
	if (status != null && drop) {
		throw new ResortError("invalid", "Give either status or drop", {
			field: "drop",
		});
	}
	if (status != null) return;
	if (error != null || retryAfterSeconds != null) {
		const field = error == null ? "retryAfterSeconds" : "error";
		throw new ResortError("invalid", `${field} goes only with status`, {
			field,
		});
	}
}
