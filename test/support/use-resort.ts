import { afterAll, afterEach, beforeEach } from "bun:test";
import { type Registered, type Setup, TestResort } from "./resort.ts";

/**
 * Opens a new resort for each test of the file or the describe block that calls this, and closes it afterwards.
 * @param setup a function where it depends on what another hook prepares
 * @returns stands for the resort of the test that runs; nothing can be read from it before the first test
 */
export function useResort(setup: Setup | (() => Setup) = {}): TestResort {
	let resort: TestResort;
	beforeEach(() => {
		resort = new TestResort(typeof setup === "function" ? setup() : setup);
	});
	afterEach(() => resort.close());
	return new Proxy(Object.create(TestResort.prototype), {
		get(_, name) {
			const value = Reflect.get(resort, name, resort);
			return typeof value === "function" ? value.bind(resort) : value;
		},
		set: (_, name, value) => Reflect.set(resort, name, value, resort),
		defineProperty: (_, name, descriptor) =>
			Reflect.defineProperty(resort, name, descriptor),
	});
}

/** Opens a resort that all tests of the file share, and closes it after the last one. */
export function useSharedResort(setup?: Setup): TestResort {
	const resort = new TestResort(setup);
	afterAll(() => resort.close());
	return resort;
}

/** Registers an agent before each test; the returned object holds the agent of the test that runs. */
export function useAgent(resort: TestResort, profile?: object): Registered {
	const agent = { id: "", key: "" };
	beforeEach(async () => {
		Object.assign(agent, await resort.register(profile));
	});
	return agent;
}

/** Registers an agent and checks it in before each test; the returned object holds the guest of the test that runs. */
export function useGuest(resort: TestResort, profile?: object): Registered {
	const guest = { id: "", key: "" };
	beforeEach(async () => {
		Object.assign(guest, await resort.guest(profile));
	});
	return guest;
}
