import { operation } from "../../resort/operation.ts";
import { controlsOf } from "../controls-of.ts";
import { NoFields } from "../model.ts";
import { requireOperation } from "../operation-ids.ts";
import { CallsAnswer, CallsQuery, toCallInfo } from "./model.ts";

/** What tests see of the calls that were made. */
export const callOperations = [
	operation({
		id: "listCalls",
		method: "GET",
		path: "/test/calls",
		summary: "The calls that were made",
		description:
			"Those that came since the start or the last reset, the newest first, at most 10,000; `at` is when a call came. A call is listed once it has been answered, one under `/test` never. `agentId` is who called, null when nobody was authenticated; `status` is null when a fault closed the connection, or the caller gave up before it was answered. Of a call by `/mcp` or to a page of `/me` the operation is the last one that was used for it.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		query: CallsQuery,
		answers: { 200: CallsAnswer },
		isFresh: true,
		run({ context, query: { operation, agentId } }) {
			const { calls, faults } = controlsOf(context);
			if (operation !== undefined) {
				requireOperation(faults.operations, operation);
			}
			const id = agentId?.toLowerCase();
			const found = calls
				.list()
				.filter(
					(call) =>
						(operation === undefined || call.operation === operation) &&
						(id === undefined || call.agentId === id),
				);
			return { calls: found.map(toCallInfo) };
		},
	}),
	operation({
		id: "forgetCalls",
		method: "DELETE",
		path: "/test/calls",
		summary: "Forget the calls that were made",
		description: "As if the instance had just been started.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		answers: { 200: NoFields },
		run({ context }) {
			controlsOf(context).calls.clear();
			return {};
		},
	}),
];
