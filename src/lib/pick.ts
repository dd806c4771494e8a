/** Some fields of an object, in the order of their names. */
export function pick<T, Name extends keyof T>(
	object: T,
	names: readonly Name[],
): Pick<T, Name> {
	return Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<
		T,
		Name
	>;
}
