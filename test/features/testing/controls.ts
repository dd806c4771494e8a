import { beforeEach } from "bun:test";
import type { Answered } from "../../support/calls.ts";
import type { TestResort } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";

/**
 * Returns a function that calls the test controls of a resort. It sends `Host: localhost`, because test
 * controls refuse the host `resort.test` of other calls.
 */
export const controlOf =
	(resort: TestResort) =>
	(method: string, path: string, body?: object): Promise<Answered> =>
		resort.call(method, `/test/${path}`, { headers: { host: "localhost" }, ...(body && { body }) });

/** Creates a resort with test controls for all tests of a file, and resets it before each test. */
export function useControls() {
	const resort = useResort({ shared: true, testControls: true });
	const control = controlOf(resort);
	beforeEach(async () => {
		await control("POST", "reset");
	});
	return { resort, control };
}
