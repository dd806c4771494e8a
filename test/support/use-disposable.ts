import { afterEach, beforeEach } from "bun:test";
import { standIn } from "./stand-in.ts";

/** Makes something for each test of the file or the describe block that calls this, and disposes of it afterwards. */
export function useDisposable<T extends AsyncDisposable>(
	make: () => T | Promise<T>,
): T {
	let made: T;
	beforeEach(async () => {
		made = await make();
	});
	afterEach(() => made[Symbol.asyncDispose]());
	return standIn(() => made);
}
