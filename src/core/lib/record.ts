/** Whether a value is a JSON object, and neither a list nor null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the field `name` of an untrusted value if the field is a string; otherwise an empty string. */
export function textIn(value: unknown, name: string): string {
	const found = isRecord(value) ? value[name] : undefined;
	return typeof found === "string" ? found : "";
}

/** Creates an object with a field for each name. Its value is what `make` returns for the name. */
export function recordOf<Name extends string, T>(
	names: readonly Name[],
	make: (name: Name) => T,
): Record<Name, T> {
	const entries = names.map((name) => [name, make(name)]);
	return Object.fromEntries(entries) as Record<Name, T>;
}

/** Creates an object with the field names of `object`, and the values that `map` returns. */
export function mapValues<Name extends string, From, To>(
	object: Readonly<Record<Name, From>>,
	map: (value: From, name: Name) => To,
): Record<Name, To> {
	const names = Object.keys(object) as Name[];
	return recordOf(names, (name) => map(object[name], name));
}

/** Creates an object with the fields of `object` that are in `names`. */
export function pick<T, Name extends keyof T>(object: T, names: readonly Name[]): Pick<T, Name> {
	const entries = names.map((name) => [name, object[name]]);
	return Object.fromEntries(entries) as Pick<T, Name>;
}

/**
 * Whether lists and objects are nested more than `most` levels deep. Call this function before
 * `JSON.stringify`, which is slow for deep nesting because it compares each level with all outer levels.
 */
export function isNestedDeeper(value: unknown, most: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	if (most === 0) return true;
	const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
	return inner.some((one) => typeof one === "object" && isNestedDeeper(one, most - 1));
}

/** Parses the JSON text of an object, with or without a byte order mark. Returns null for any other text. */
export function parseObject(text: Uint8Array | string): Record<string, unknown> | null {
	try {
		const value: unknown = JSON.parse(text.toString().replace(/^\ufeff/, ""));
		return isRecord(value) ? value : null;
	} catch {
		return null;
	}
}
