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
