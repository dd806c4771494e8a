/** Whether a value is an object with fields, as JSON has them: no list and not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object with a field for each of some names. */
export function recordOf<Name extends string, T>(
	names: readonly Name[],
	make: (name: Name) => T,
): Record<Name, T> {
	const entries = names.map((name) => [name, make(name)]);
	return Object.fromEntries(entries) as Record<Name, T>;
}

/** An object with the same names and other values. */
export function mapValues<Name extends string, From, To>(
	object: Readonly<Record<Name, From>>,
	map: (value: From, name: Name) => To,
): Record<Name, To> {
	const names = Object.keys(object) as Name[];
	return recordOf(names, (name) => map(object[name], name));
}
