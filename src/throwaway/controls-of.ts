import { ResortError } from "../lib/resort-error.ts";
import type { Controls } from "../resort/controls.ts";
import type { House } from "../resort/operation.ts";

/**
 * What tests may do to a resort.
 * @throws ResortError `not_found` where they may do nothing
 */
export function controlsOf({ controls }: House): Controls {
	if (controls === null) throw new ResortError("not_found", "Not found");
	return controls;
}
