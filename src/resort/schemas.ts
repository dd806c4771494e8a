/**
 * The schemas that models are made of. TypeBox does not count code points and does not convert the numbers of queries,
 * so these have kinds of their own, which are documented as ordinary JSON Schema. Strings of bodies are trimmed first.
 */
import {
	FormatRegistry,
	Kind,
	type Static,
	type TProperties,
	type TSchema,
	Type,
	TypeRegistry,
} from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { parseTimestamp } from "../lib/clock.ts";
import {
	codePoints,
	isBlank,
	isHttpsUrl,
	isStorable,
	withoutInvisible,
} from "../lib/text.ts";
import { isUuid, UUID } from "../lib/uuid.ts";

// TypeBox knows no formats by itself. Values of format `uri` are validated by a kind of their own.
FormatRegistry.Set("uuid", isUuid);
FormatRegistry.Set("date-time", (value) => parseTimestamp(value) !== null);

/** Marks a text that must show something. */
const NAME = Symbol("name");

/** The bounds of a string, in code points. */
interface TextBounds {
	readonly minLength?: number;
	readonly maxLength: number;
}

TypeRegistry.Set<TextBounds>("Text", (schema, value) => {
	if (typeof value !== "string" || textFault(schema, value)) return false;
	const { minLength = 0, maxLength } = schema;
	const length = codePoints(value);
	return length >= minLength && length <= maxLength;
});

TypeRegistry.Set<TextBounds>("HttpsUrl", (schema, value) => {
	if (typeof value !== "string" || textFault(schema, value)) return false;
	const isShort = codePoints(value) <= schema.maxLength;
	return value === "" || (isShort && isHttpsUrl(value));
});

/** Returns what no text may contain, as the end of an error message; undefined if a text does not contain it. */
export function textFault(schema: object, text: string): string | undefined {
	if (!isStorable(text)) return "must not contain NUL or lone surrogates";
	const isHidden = NAME in schema && isBlank(text);
	if (!isHidden && withoutInvisible(text) === text) return undefined;
	return "must not contain invisible characters";
}

TypeRegistry.Set<{ minimum: number; maximum: number }>(
	"WholeNumber",
	({ minimum, maximum }, value) =>
		typeof value === "string" &&
		/^\d{1,10}$/.test(value) &&
		Number(value) >= minimum &&
		Number(value) <= maximum,
);

TypeRegistry.Set<{ enum: readonly unknown[] }>(
	"Choice",
	({ enum: values }, value) => values.includes(value),
);

/** One of some words; a kind of its own for the same reason as {@link Nullable}. */
export function Choice<T extends string>(...values: readonly T[]) {
	return Type.Unsafe<T>({ [Kind]: "Choice", type: "string", enum: values });
}

/** A string of a body, its bounds counted in code points. */
export function Text(minLength: number, maxLength: number) {
	return Type.Unsafe<string>({
		[Kind]: "Text",
		type: "string",
		minLength,
		maxLength,
	});
}

/** Like {@link Text}, of which people must see something. */
export function Name(minLength: number, maxLength: number) {
	const schema = { ...Text(minLength, maxLength), [NAME]: true };
	return Type.Unsafe<string>(schema);
}

/** An `https:` URL with a host; an empty string stands for none. */
export function HttpsUrl(maxLength: number) {
	return Type.Unsafe<string>({
		[Kind]: "HttpsUrl",
		type: "string",
		format: "uri",
		pattern: "^https://",
		maxLength,
	});
}

/** A whole number in a query: decimal digits, which validation converts. */
export function WholeNumber(minimum: number, maximum: number) {
	return Type.Unsafe<number>({
		[Kind]: "WholeNumber",
		type: "integer",
		minimum,
		maximum,
	});
}

/** The schema of a value that may be null. */
const VALUE = Symbol("value");

TypeRegistry.Set<{ [VALUE]: TSchema }>(
	"Nullable",
	({ [VALUE]: schema }, value) => value === null || Value.Check(schema, value),
);

/**
 * A value or null. For a plain value it is a kind of its own and no union: `exact-mirror`, which copies the fields of
 * answers, compiles a check for each variant of a union and calls it for every answer.
 */
export function Nullable<T extends TSchema>(schema: T) {
	return schema.type === "object" || schema.type === "array"
		? Type.Union([schema, Type.Null()])
		: Type.Unsafe<Static<T> | null>({
				...schema,
				[Kind]: "Nullable",
				[VALUE]: schema,
				type: [schema.type, "null"],
			});
}

/** A field of a POST body that may be left out; null is the same as absent. */
export function OptionalField<T extends TSchema>(schema: T) {
	return Type.Optional(Nullable(schema));
}

/** The function that accepts a text. */
const ACCEPTS = Symbol("accepts");

TypeRegistry.Set<{ [ACCEPTS]: (text: string) => boolean }>(
	"CheckedText",
	({ [ACCEPTS]: accepts }, value) =>
		typeof value === "string" && accepts(value),
);

/**
 * A string that a function accepts.
 * @param description what it must be: a part of error messages
 */
export function CheckedText(
	description: string,
	accepts: (text: string) => boolean,
	options: { readonly format?: string } = {},
) {
	return Type.Unsafe<string>({
		[Kind]: "CheckedText",
		[ACCEPTS]: accepts,
		type: "string",
		...options,
		description,
	});
}

/** A UUID of a resource. */
export const Uuid = Type.String({ format: "uuid", pattern: UUID });

/** In a query, the caller in place of its id. */
export const ME = "me";

/** The agent whose data is listed. */
export const AgentOrMe = CheckedText(
	`a UUID, or ${ME} for your own, which requires a credential`,
	(text) => text === ME || isUuid(text),
);

/** A time: ISO 8601, UTC, with milliseconds. */
export const Timestamp = Type.String({ format: "date-time" });

/** A time that callers send; `parseTimestamp` reads it. */
export const Moment = CheckedText(
	"a UTC time such as 2026-03-10T12:00:00.000Z",
	(text) => parseTimestamp(text) !== null,
	{ format: "date-time" },
);

/**
 * The body of a successful answer: `ok: true` and the given fields.
 * @param title its name in the OpenAPI document, when it is a resource of its own
 */
export function Answer<T extends TProperties>(fields: T, title?: string) {
	return Type.Object(
		{ ok: Type.Literal(true), ...fields },
		title === undefined ? {} : { title },
	);
}

/** A document as text, whatever its content. */
export const DocumentText = Type.String();

/** The body of a failure: the reason, what to do about it, and the invalid field. */
export const ErrorBody = Type.Object(
	{
		error: Type.String(),
		hint: Type.Optional(Type.String()),
		field: Type.Optional(Type.String()),
	},
	{ title: "Error" },
);

/** The names of the unknown fields of a body. */
export const Ignored = Type.Array(Type.String(), {
	maxItems: 10,
	description: "the names of unknown fields in the body",
});

/** A suggested call, as HTTP shows it. */
export const NextCall = Type.Object(
	{
		method: Type.String(),
		path: Type.String(),
		body: Type.Optional(
			Type.Record(Type.String(), Type.String(), {
				description: "the fields of the body that are known already",
			}),
		),
		why: Type.String(),
	},
	{ title: "NextCall" },
);

/** Up to three suggested calls. */
export const Next = Type.Array(NextCall, { maxItems: 3 });

/** Requests only the fields that are needed to choose from a list. */
export const View = Type.Optional(Choice("brief"));

/** The longest time that a call waits, in seconds. */
export const MAX_WAIT = 60;

/** The largest value of a list's parameter `limit`. */
export const MAX_LIMIT = 100;

/** The most entries of a list that is requested without `limit`. */
const MAX_ENTRIES = 1_000;

const MAX_OFFSET = 2_147_483_647;

/** The optional parameters of a list that choose a page. */
export const Paging = Type.Object({
	limit: Type.Optional(WholeNumber(1, MAX_LIMIT)),
	offset: Type.Optional(WholeNumber(0, MAX_OFFSET)),
});

/** A page of a list: the most rows, and the number of rows before it. */
export interface Page {
	readonly limit: number;
	readonly offset: number;
}

/** The page that a query selects. */
export function toPage({
	limit = MAX_ENTRIES,
	offset = 0,
}: Static<typeof Paging>): Page {
	return { limit, offset };
}

/** The field of an answer with the path of the next page of its list. */
export const NextPage = {
	next: Type.Optional(
		Type.String({ description: "the path of the next page, if there is one" }),
	),
};

/** The fields that stand beside a list in an answer. */
export const ListPosition = {
	total: Type.Integer({ description: "the length of the whole list" }),
	...NextPage,
};

/**
 * The body of an answer with a page of a list.
 * @param others further fields, in front of the list
 */
export function ListAnswer<T extends TSchema>(
	field: string,
	entry: T,
	others: TProperties = {},
) {
	return Answer({ ...others, [field]: Type.Array(entry), ...ListPosition });
}
