import fc from "fast-check";
import type { JsonSchema } from "../../src/core/calls/operation-schema.ts";

/** A placeholder for the id of an existing agent. The placeholder is a valid id, too. */
export const AGENT = "0a0a0a0a-0a0a-7a0a-8a0a-0a0a0a0a0a0a";
/** A placeholder for the API key of the agent that makes the call. */
export const KEY = "$KEY$";

const UUID_LENGTH = 36;

const anyText = (minLength: number, maxLength: number) => fc.string({ unit: "binary", minLength, maxLength });

const oddText = fc.constantFrom(
	"",
	" ",
	"\t\n",
	"\0",
	"\ud800",
	"\udc00x",
	"\ufeff",
	"\u202e",
	"null",
	"__proto__",
	"' OR 1=1 --",
	"<script>",
	"🌴".repeat(50),
	"e\u0301".repeat(50),
	"i̇ſ",
	"discover",
);

const oddValue = fc.oneof(
	oddText,
	fc.constantFrom(null, true, false, 0, -0, -1, 0.5, 1e308, 2 ** 53, 1e21),
	fc.constantFrom<object>([], {}, [null], { length: 1 }, [[[[]]]]),
	fc.jsonValue({ maxDepth: 4 }),
);

/** The keywords of JSON schemas that this module reads. */
interface Schema extends JsonSchema {
	readonly items?: Schema;
	readonly minItems?: number;
	readonly pattern?: string;
	readonly patternProperties?: Readonly<Record<string, Schema>>;
}

/**
 * Values that match a schema.
 * @param others unknown fields that are added to each object
 */
export function allowed(schema: Schema, others = fc.constant<object>({})): fc.Arbitrary<unknown> {
	const inner = (part: Schema) => allowed(part, others);
	if (schema.anyOf) return fc.oneof(...schema.anyOf.map(inner));
	if (schema.const !== undefined) return fc.constant(schema.const);
	if (schema.enum) return fc.constantFrom(...schema.enum);
	if (schema.type === undefined) return fc.constantFrom(null, "x", { id: "x" });
	return fc.oneof(...[schema.type].flat().map((type) => allowedOf(type, schema, inner, others)));
}

function allowedOf(
	type: string,
	schema: Schema,
	inner: (part: Schema) => fc.Arbitrary<unknown>,
	others: fc.Arbitrary<object>,
): fc.Arbitrary<unknown> {
	const { minimum = 0, maximum = 1_000, items = {}, minItems = 0, maxItems = 10, patternProperties } = schema;
	switch (type) {
		case "string":
			return allowedText(schema);
		case "integer":
		case "number":
			return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }));
		case "array":
			return fc.array(inner(items), { minLength: minItems, maxLength: maxItems });
		case "object": {
			const [field] = Object.values(patternProperties ?? {});
			if (field !== undefined) return fc.dictionary(fc.constantFrom("a", "b", "c d"), inner(field));
			return fc.tuple(others, fieldsOf(schema, inner)).map(([more, known]) => ({ ...more, ...known }));
		}
		case "boolean":
			return fc.boolean();
		case "null":
			return fc.constant(null);
		default:
			throw new Error(`unknown type ${type}`);
	}
}

function allowedText(schema: Schema): fc.Arbitrary<string> {
	const { minLength = 0, maxLength = 60, format, pattern } = schema;
	if (format === "uri") return fc.webUrl({ validSchemes: ["https"] });
	if (format === "date-time") return fc.constant("2026-03-10T12:00:00.000Z");
	const matching = pattern === undefined ? fc.uuid() : fc.stringMatching(new RegExp(pattern));
	if (format === "uuid") return fc.oneof(fc.constant(AGENT), matching);
	if (pattern !== undefined) return matching;
	return fc.oneof(
		fc.string({ unit: "grapheme", minLength, maxLength: minLength + 20 }),
		fc.constantFrom(minLength, maxLength).map((length) => "n".repeat(length)),
	);
}

/** Values at and beyond the bounds of a schema, and values of other types. */
export function doubtful(schema: JsonSchema): fc.Arbitrary<unknown> {
	const { minimum, maximum, minLength, maxLength, maxItems } = schema;
	const edges: unknown[] = [];
	for (const bound of [minimum, maximum]) {
		if (bound === undefined) continue;
		edges.push(bound - 1, bound + 1, bound + 0.5, String(bound));
	}
	for (const length of [minLength, maxLength, UUID_LENGTH]) {
		if (length === undefined) continue;
		edges.push("x".repeat(Math.max(0, length - 1)), "🌴".repeat(length + 1));
	}
	if (maxItems !== undefined) edges.push(Array(maxItems + 1).fill("item"));
	return fc.oneof(fc.constantFrom(...edges), oddValue, anyText(0, 2 * (maxLength ?? 20)));
}

/** Values whose fields usually match a schema, and sometimes do not. */
export function mixed(schema: JsonSchema): fc.Arbitrary<unknown> {
	if (schema.anyOf) return fc.oneof(...schema.anyOf.map(mixed));
	if (schema.properties === undefined) return doubtful(schema);
	const either = (field: JsonSchema) =>
		fc.oneof({ weight: 5, arbitrary: allowed(field) }, { weight: 1, arbitrary: doubtful(field) });
	return fc
		.tuple(fieldsOf(schema, either), fc.dictionary(oddText, oddValue, { maxKeys: 2 }))
		.map(([fields, others]) => ({ ...others, ...fields }));
}

function fieldsOf(
	{ properties = {}, required = [] }: JsonSchema,
	valueFor: (schema: JsonSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<object> {
	const fields = Object.entries(properties).map(([name, schema]): [string, fc.Arbitrary<unknown>] => [
		name,
		name === "apiKey" ? fc.oneof(fc.constant(KEY), valueFor(schema)) : valueFor(schema),
	]);
	return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}
