import fc from "fast-check";
import type { JsonSchema } from "../../src/core/calls/operation-schema.ts";

/** The placeholder for the id of an existing agent. */
export const AGENT = "$AGENT$";
/** The placeholder for the key of the agent. */
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
	"constructor",
	"' OR 1=1 --",
	"<script>",
	"../..",
	"%00",
	"🌴".repeat(50),
	"e\u0301".repeat(50),
	"i̇ſ",
	"discover",
	"NaN",
);

const oddValue = fc.oneof(
	oddText,
	fc.constantFrom(null, true, false, 0, -0, -1, 0.5, 1e308, 2 ** 53, 1e21),
	fc.constantFrom<object>([], {}, [null], { length: 1 }, [[[[]]]]),
	fc.jsonValue({ maxDepth: 4 }),
);

/** Whole numbers within bounds, often the bounds themselves. */
function integers(least: number, most: number): fc.Arbitrary<number> {
	return fc.oneof(fc.constantFrom(least, most), fc.integer({ min: least, max: most }));
}

export function allowed(schema: JsonSchema): fc.Arbitrary<unknown> {
	if (schema.anyOf) return fc.oneof(...schema.anyOf.map(allowed));
	if (schema.const !== undefined) return fc.constant(schema.const);
	if (schema.enum) return fc.constantFrom(...schema.enum);
	const types = [schema.type ?? []].flat();
	return fc.oneof(...types.map((type) => allowedOf(type, schema)));
}

function allowedOf(type: string, schema: JsonSchema): fc.Arbitrary<unknown> {
	switch (type) {
		case "string":
			return allowedText(schema);
		case "integer":
			return integers(schema.minimum ?? 0, schema.maximum ?? 1_000);
		case "array":
			return fc.array(allowed(schema.items ?? {}), { maxLength: schema.maxItems ?? 10 });
		case "object":
			return fieldsOf(schema, allowed);
		case "boolean":
			return fc.boolean();
		case "null":
			return fc.constant(null);
		default:
			throw new Error(`unknown type ${type}`);
	}
}

function allowedText(schema: JsonSchema): fc.Arbitrary<string> {
	const { minLength = 0, maxLength = 60, format } = schema;
	if (format === "uri") return fc.webUrl({ validSchemes: ["https"] });
	if (format === "uuid") return fc.oneof(fc.constant(AGENT), fc.uuid());
	return fc.oneof(
		fc.string({ unit: "grapheme", minLength, maxLength: minLength + 20 }),
		fc.constantFrom(minLength, maxLength).map((length) => "n".repeat(length)),
	);
}

/** Values at and beyond the bounds of a schema, and of other types. */
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

/** Values that match a schema, except for some fields. */
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
