import { operation } from "../../resort/operation.ts";
import { controlsOf } from "../controls-of.ts";
import { NoFields } from "../model.ts";
import {
	ArmFaultBody,
	FaultAnswer,
	FaultsAnswer,
	toFaultInfo,
} from "./model.ts";
import { armFault } from "./service.ts";

/**
 * Delay before a drop is answered. It has closed the idle connections, and a client that hears of both at once would
 * still send its next call over one of them.
 */
const NOTICE_MS = 20;

/** How tests let operations fail. */
export const faultOperations = [
	operation({
		id: "armFault",
		method: "POST",
		path: "/test/faults",
		summary: "Let calls of an operation fail",
		description:
			"With `status` or `drop` (the connection is closed without an answer) nothing is done, and no credential is asked for. `delayMs` holds a call up before that; alone, the real answer follows. It meets the next call, or as many as `times` says; 0 is all until it is cleared. With `ids` it meets only calls that name one of these agents in the path or in `ids`. Of several faults the first one that was armed meets a call.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		body: ArmFaultBody,
		answers: { 200: FaultAnswer },
		async run({ context, body }) {
			const fault = armFault(controlsOf(context).faults, body);
			if (fault.drop) await Bun.sleep(NOTICE_MS);
			return { fault: toFaultInfo(fault) };
		},
	}),
	operation({
		id: "listFaults",
		method: "GET",
		path: "/test/faults",
		summary: "The faults that are armed",
		description: "`left` is how many more calls each meets, null for all.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		answers: { 200: FaultsAnswer },
		isFresh: true,
		run: ({ context }) => ({
			faults: controlsOf(context).faults.list().map(toFaultInfo),
		}),
	}),
	operation({
		id: "clearFaults",
		method: "DELETE",
		path: "/test/faults",
		summary: "Let no call fail any more",
		description: "Calls that are held up just now stay so.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		answers: { 200: NoFields },
		run({ context }) {
			controlsOf(context).faults.clear();
			return {};
		},
	}),
];
