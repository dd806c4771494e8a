import { type Place, type Serving, serve } from "../support/executable.ts";

/**
 * Starts the executable and waits for its ready line, in a session of its own (setsid(1)): Ctrl-C and `timeout` end
 * every process of a group at once, and a part would take that for a failure.
 */
export function serveApart(
	args: readonly string[],
	place: Place,
): Promise<Serving> {
	return serve(args, { ...place, before: ["setsid"] });
}
