import type { Call } from "./call.ts";

/** The largest body that is read. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Stands for a value that breaks its bound. */
export const BROKEN = Symbol("broken");

/** Judges one value; undefined is one that is absent. */
export type Field<T> = (value: unknown) => T | typeof BROKEN;

/** What was made of a call: a value, or the names of what broke a bound. */
export type Reading<T> =
	| { readonly value: T }
	| { readonly broken: readonly string[] };

/** Makes something of a call's body or query. */
export interface Reader<T> {
	(call: Call): Reading<T>;
	/** The names of the fields of a body that it knows; none when left out. */
	readonly knows?: readonly string[];
}

/** What a table of fields gives. */
export type Fields<F> = {
	[Name in keyof F]: F[Name] extends Field<infer T> ? T : never;
};

/** A string, trimmed, of so many code points, without NUL and lone surrogates. */
export const text =
	(least: number, most: number): Field<string> =>
	(value) => {
		if (typeof value !== "string") return BROKEN;
		const trimmed = value.trim();
		const { length } = [...trimmed];
		return trimmed.includes("\0") || !trimmed.isWellFormed()
			? BROKEN
			: length >= least && length <= most
				? trimmed
				: BROKEN;
	};

/** An address of at most 500 characters that begins with https:// and a host. */
export const httpsUrl: Field<string> = (value) => {
	const url = text(0, 500)(value);
	if (url === BROKEN || url === "") return url;
	return /^https:\/\/[^/]/.test(url) && URL.canParse(url) ? url : BROKEN;
};

/** A whole number of a body. */
export const integer =
	(least: number, most: number): Field<number> =>
	(value) =>
		typeof value === "number" &&
		Number.isInteger(value) &&
		value >= least &&
		value <= most
			? value
			: BROKEN;

/** A UUID in any case, given back in lower case. */
export const uuid: Field<string> = (value) =>
	typeof value === "string" &&
	/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)
		? value.toLowerCase()
		: BROKEN;

/** At most ten strings of at most 50 characters. */
export const list: Field<string[]> = (value) => {
	if (!Array.isArray(value) || value.length > 10) return BROKEN;
	const items = value.map(text(0, 50)).filter((item) => item !== BROKEN);
	return items.length === value.length ? items : BROKEN;
};

/** A field that may be null; a string that trims to nothing is null too. */
export const nullable =
	<T>(field: Field<T>): Field<T | null> =>
	(value) => {
		if (value === null) return null;
		const judged = field(value);
		return judged === "" ? null : judged;
	};

/** A field of a POST body that may be absent, which is the same as null. */
export const optional =
	<T>(field: Field<T>): Field<T | null> =>
	(value) =>
		value === undefined ? null : nullable(field)(value);

/** A field that is left as it is when it is absent. */
export const unchanged =
	<T>(field: Field<T>): Field<T | undefined> =>
	(value) =>
		value === undefined ? undefined : field(value);

/** A whole number of a query: plain digits. */
export const digits =
	<P extends number | null>(
		least: number,
		most: number,
		preset: P,
	): Field<number | P> =>
	(value) => {
		if (value === undefined) return preset;
		return typeof value === "string" && /^\d+$/.test(value)
			? integer(least, most)(Number(value))
			: BROKEN;
	};

/** How much of a list is told. */
export const view: Field<"brief" | null> = (value) =>
	value === undefined ? null : value === "brief" ? value : BROKEN;

/** Nothing is read, but a body that is there must be one. */
export const nothing: Reader<undefined> = (call) =>
	parse(call) === BROKEN ? { broken: [] } : { value: undefined };

/** Reads a table of fields from the body. */
export function bodyOf<F extends Record<string, Field<unknown>>>(
	fields: F,
): Reader<Fields<F>> {
	return knowing(fields, (call) => {
		const body = parse(call);
		return body === BROKEN ? { broken: [] } : readAll(fields, body);
	});
}

/** A reader that knows the names of these fields. */
export function knowing<T>(fields: object, read: Reader<T>): Reader<T> {
	return Object.assign((call: Call) => read(call), {
		knows: Object.keys(fields),
	});
}

/** Reads a table of fields from the query, where the last of repeated names counts. */
export function queryOf<F extends Record<string, Field<unknown>>>(
	fields: F,
): Reader<Fields<F>> {
	return ({ query = [] }) => readAll(fields, Object.fromEntries(query));
}

/** The object of a call's body; BROKEN when it is none. */
export function parse({ body, raw }: Call): object | typeof BROKEN {
	if (body !== undefined) return body;
	if (raw === undefined || raw.text === "") return {};
	if (!raw.type?.toLowerCase().startsWith("application/json")) return BROKEN;
	try {
		const value: unknown = JSON.parse(raw.text);
		return typeof value === "object" && value !== null && !Array.isArray(value)
			? value
			: BROKEN;
	} catch {
		return BROKEN;
	}
}

/** Whether a call's body has more than 64 KiB. */
export function isTooLarge({ raw }: Call): boolean {
	return raw !== undefined && Buffer.byteLength(raw.text) > MAX_BODY_BYTES;
}

/** Judges every field of a table. */
export function readAll<F extends Record<string, Field<unknown>>>(
	fields: F,
	values: object,
): Reading<Fields<F>> {
	const judged = Object.entries(fields).map(
		([name, field]) => [name, field(Reflect.get(values, name))] as const,
	);
	const broken = judged.flatMap(([name, value]) =>
		value === BROKEN ? [name] : [],
	);
	return broken.length > 0
		? { broken }
		: { value: Object.fromEntries(judged) as Fields<F> };
}
