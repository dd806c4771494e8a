/**
 * The schemas from which models are composed. TypeBox counts the length of strings in UTF-16 units, and does
 * not accept numbers in queries, where they are strings. The schemas of the custom kind {@link checked} count
 * code points and accept such numbers; in the OpenAPI document, they appear as ordinary JSON Schema. The
 * pipeline trims the strings in request bodies before it validates them.
 */
import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { parseTimestamp } from "../lib/clock.ts";
import { checked, matches } from "../lib/schema-compiler.ts";
import {
	codePoints,
	hasControl,
	isBlank,
	isHttpsUrl,
	isStorable,
	isUuid,
	UUID,
	wholeNumber,
	withoutInvisible,
} from "../lib/text.ts";

/** Keys that mark schemas. They are symbols, so that documents do not show them. */
export const marks = {
	/** A text that must contain a visible character. */
	name: Symbol("name"),
	/** A text that may contain line breaks and tabs. */
	lines: Symbol("lines"),
	/** A number in a query, where it is sent as text. */
	digits: Symbol("digits"),
	/** A comma-separated list in a query. If the parameter is repeated, its values are joined. */
	commaList: Symbol("commaList"),
	/** A schema whose `description` is also its error message (see {@link mustBe}). */
	requirement: Symbol("requirement"),
};

/**
 * Returns the end of an error message about characters that are not allowed in a text; undefined if the text
 * contains none of them.
 */
export function textFault(schema: object, text: string): string | undefined {
	if (!isStorable(text)) return "must not contain NUL or lone surrogates";
	if (hasControl(text)) return "must not contain control characters";
	if (!(marks.lines in schema) && /[\t\r\n]/.test(text)) return "must be one line";
	const isHidden = marks.name in schema && isBlank(text);
	if (!isHidden && withoutInvisible(text) === text) return undefined;
	return "must not contain invisible characters";
}

/** One of several strings. It is not a union, because unions are slow to copy (see {@link Nullable}). */
export function Choice<T extends string>(...values: readonly T[]) {
	return checked<T>({ type: "string", enum: values }, (value) => values.includes(value as T));
}

/**
 * A line of text in a request body. Its length is counted in code points.
 * @param marked the schema's {@link marks}, each with the value `true`
 */
export function Text(minLength: number, maxLength: number, marked: object = {}) {
	return checked<string>({ type: "string", minLength, maxLength, ...marked }, (value) => {
		if (typeof value !== "string" || textFault(marked, value)) return false;
		const length = codePoints(value);
		return length >= minLength && length <= maxLength;
	});
}

/** Like {@link Text}, but line breaks and tabs are allowed. */
export function Lines(minLength: number, maxLength: number) {
	return Text(minLength, maxLength, { [marks.lines]: true });
}

/** Like {@link Text}, but the string must contain a visible character. */
export function Name(minLength: number, maxLength: number) {
	return Text(minLength, maxLength, { [marks.name]: true });
}

/** An `https:` URL with a host, or an empty string for no URL. */
export function HttpsUrl(maxLength: number) {
	const schema = { type: "string", format: "uri", pattern: "^https://", maxLength };
	return checked<string>(schema, (value) => {
		if (typeof value !== "string" || textFault({}, value)) return false;
		return value === "" || (codePoints(value) <= maxLength && isHttpsUrl(value));
	});
}

/** A whole number in a query. Validation converts its decimal digits to a number. */
export function WholeNumber(minimum: number, maximum: number) {
	return checked<number>({ type: "integer", minimum, maximum, [marks.digits]: true }, (value) => {
		return typeof value === "string" && wholeNumber(value, maximum, minimum) !== undefined;
	});
}

/**
 * A value or null. The schema of a simple value is not a union, because `exact-mirror`, which copies the
 * fields of every answer, checks each variant of a union for every copy.
 */
export function Nullable<T extends TSchema>(schema: T) {
	return schema.type === "object" || schema.type === "array"
		? Type.Union([schema, Type.Null()])
		: checked<Static<T> | null>(
				{ ...schema, type: [schema.type, "null"] },
				(value) => value === null || matches(schema, value),
			);
}

/** An optional field in the body of a POST. A field with the value null counts as omitted. */
export function OptionalField<T extends TSchema>(schema: T) {
	return Type.Optional(Nullable(schema));
}

/**
 * Returns the options for a schema whose `description` is also its error message, such as `must be a UUID`.
 * Any other `description` is shown only in the documents.
 * @param phrase the requirement, such as `a UUID`
 */
export function mustBe(phrase: string) {
	return { description: phrase, [marks.requirement]: true };
}

/**
 * A string that the function `accepts` validates.
 * @param phrase the requirement as a phrase for error messages, such as `a UUID`
 */
export function CheckedText(
	phrase: string,
	accepts: (text: string) => boolean,
	options: { readonly format?: string } = {},
) {
	const schema = { type: "string", ...options, ...mustBe(phrase) };
	return checked<string>(schema, (value) => typeof value === "string" && accepts(value));
}

/** A query parameter with a comma-separated list. If the parameter is repeated, its values are joined. */
export function CommaList(phrase: string, accepts: (text: string) => boolean) {
	return Type.Unsafe<string>({ ...CheckedText(phrase, accepts), [marks.commaList]: true });
}

/** The UUID of a resource. */
export const Uuid = Type.String({ format: "uuid", pattern: UUID });

/** The value that a query parameter can contain instead of the caller's id. */
export const ME = "me";

/** The agent whose data is listed: an id, or `me`. */
export const AgentOrMe = CheckedText(
	`a UUID, or ${ME} for your own, which requires a credential`,
	(text) => text === ME || isUuid(text),
);

/** A UTC time in ISO 8601 format with milliseconds. */
export const Timestamp = Type.String({ format: "date-time" });

/** A time in a request. Use `parseTimestamp` to parse it. */
export const Moment = CheckedText(
	"a UTC time such as 2026-03-10T12:00:00.000Z",
	(text) => parseTimestamp(text) !== null,
	{ format: "date-time" },
);

/**
 * The body of a successful answer: `ok: true` and the given fields.
 * @param title the name of the schema in the OpenAPI document
 */
export function Answer<T extends TProperties>(fields: T, title?: string) {
	return Type.Object({ ok: Type.Literal(true), ...fields }, title === undefined ? {} : { title });
}

/** A document. Its content is not validated. */
export const DocumentText = Type.String();

/** The body of an error response: the reason, a hint for the client, and the name of the invalid field. */
export const ErrorBody = Type.Object(
	{ error: Type.String(), hint: Type.Optional(Type.String()), field: Type.Optional(Type.String()) },
	{ title: "Error" },
);

/** The names of unknown fields in a request body. */
export const Ignored = Type.Array(Type.String(), {
	maxItems: 10,
	description: "the names of unknown fields in the body",
});

/** A suggested next call, described as an HTTP request. */
export const NextCall = Type.Object(
	{
		method: Type.String(),
		path: Type.String(),
		body: Type.Optional(
			Type.Record(Type.String(), Type.String(), {
				description: "the fields of the body whose values are known",
			}),
		),
		why: Type.String(),
	},
	{ title: "NextCall" },
);

/** Up to three suggested calls. */
export const Next = Type.Array(NextCall, { maxItems: 3 });

/**
 * The schemas of an answer with a short form (`Prefer: return=minimal`), which reduces the objects in `whole`
 * to their `id`, and omits all other fields of `whole`.
 * @param others the fields that both forms contain
 */
export function withShortForm(status: number, whole: TProperties, others: TProperties) {
	const resources = Object.entries(whole).filter(([, { type }]) => type === "object");
	const ids = resources.map(([name]) => [name, Type.Object({ id: Type.String() })]);
	return {
		answers: { [status]: Answer({ ...whole, ...others }) },
		views: { minimal: Answer({ ...Object.fromEntries(ids), ...others }) },
	};
}

/** The query parameter `view`. With `brief`, entries have only the fields that are needed to choose one. */
export const View = Type.Optional(Choice("brief"));

/** The maximum value of `wait`, in seconds. */
export const MAX_WAIT = 60;

/** The maximum value of a list's `limit`. */
export const MAX_LIMIT = 100;

/** The maximum number of entries in the answer if a list is requested without `limit` and `offset`. */
const MAX_ENTRIES = 1_000;

const MAX_OFFSET = 2_147_483_647;

/** The optional parameters that select a page of a list. */
export const Paging = Type.Object({
	limit: Type.Optional(WholeNumber(1, MAX_LIMIT)),
	offset: Type.Optional(WholeNumber(0, MAX_OFFSET)),
});

/** A page of a list: the maximum number of rows, and the number of rows to skip. */
export type Page = Readonly<Required<Static<typeof Paging>>>;

/** Returns the page that a query selects. */
export function toPage({ limit, offset }: Static<typeof Paging>): Page {
	return { limit: limit ?? (offset === undefined ? MAX_ENTRIES : MAX_LIMIT), offset: offset ?? 0 };
}

/** The field of an answer with the path of the next page. */
export const NextPage = {
	next: Type.Optional(Type.String({ description: "the path of the next page, if there is one" })),
};

/** The fields that an answer contains after a list. */
export const ListPosition = {
	total: Type.Integer({ description: "the length of the whole list" }),
	...NextPage,
};

/** The body of an answer with a page of a list. The fields of `others` precede the list. */
export function ListAnswer<T extends TSchema>(field: string, entry: T, others: TProperties = {}) {
	return Answer({ ...others, [field]: Type.Array(entry), ...ListPosition });
}
