import { ResortError } from "../lib/resort-error.ts";
import type { Context } from "../resort/operation.ts";
import type { Testkit } from "../resort/testkit.ts";

/**
 * What tests may do to a resort.
 * @throws ResortError `not_found` where they may do nothing
 */
export function controlsOf({ testkit }: Context): Testkit {
	if (testkit === null) throw new ResortError("not_found", "Not found");
	return testkit;
}
