import { beforeEach } from "bun:test";
import type { Answered, TestResort } from "./resort.ts";
import { useSharedResort } from "./use-resort.ts";

/** Calls a test control of a resort, which answers to names of loopback alone. */
export const controlOf =
	(resort: TestResort) =>
	(method: string, path: string, body?: object): Promise<Answered> =>
		resort.ask(method, `/test/${path}`, {
			headers: { host: "localhost" },
			...(body && { body }),
		});

/** A resort with test controls that all tests of the file share, reset before each of them, and what calls its controls. */
export function useControls() {
	const resort = useSharedResort({ testControls: true });
	const control = controlOf(resort);
	beforeEach(async () => {
		await control("POST", "reset");
	});
	return { resort, control };
}
