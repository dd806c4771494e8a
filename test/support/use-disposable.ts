import { afterEach, beforeEach } from "bun:test";

/** Creates a resource for each test of the calling file or describe block, and disposes of it afterwards. */
export function useDisposable<T extends AsyncDisposable>(make: () => T | Promise<T>): T {
	let made: T;
	beforeEach(async () => {
		made = await make();
	});
	afterEach(() => made[Symbol.asyncDispose]());
	return standIn(() => made);
}

/** Returns a proxy for an object that a hook replaces before each test. */
export function standIn<T extends object>(current: () => T): T {
	return new Proxy({} as T, {
		get(_, name) {
			const value = Reflect.get(current(), name, current());
			return typeof value === "function" ? value.bind(current()) : value;
		},
		has: (_, name) => name in current(),
		set: (_, name, value) => Reflect.set(current(), name, value, current()),
		defineProperty: (_, name, descriptor) => Reflect.defineProperty(current(), name, descriptor),
	});
}
