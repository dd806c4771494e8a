import { ResortError } from "../lib/resort-error.ts";
import type { Operation } from "../resort/operation.ts";
import type { OtherDoor } from "./app.ts";
import type { Door } from "./door.ts";

/**
 * Answers calls under /test of a throwaway instance that mean no operation: 404, with a hint that tells why.
 * @param operations all of the instance
 */
export function unknownControls(
	door: Door,
	operations: readonly Operation[],
): OtherDoor {
	const controls = operations
		.filter(({ only }) => only === "testkit")
		.map(({ method, path }) => `${method} ${path}`);
	const hint =
		controls.length === 0
			? "This resort was started without --test-controls."
			: `The test controls are ${controls.join(", ")}.`;
	return {
		path: "/test/*",
		answer: async (request) =>
			door.refuse(request, new ResortError("not_found", "Not found", { hint })),
	};
}
