import { afterEach, beforeEach } from "bun:test";
import { standIn } from "./stand-in.ts";

/** Creates a resource for each test of the calling file or describe block, and disposes of it afterwards. */
export function useDisposable<T extends AsyncDisposable>(make: () => T | Promise<T>): T {
	let made: T;
	beforeEach(async () => {
		made = await make();
	});
	afterEach(() => made[Symbol.asyncDispose]());
	return standIn(() => made);
}
