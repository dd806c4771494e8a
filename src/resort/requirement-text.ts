import type { TSchema } from "@sinclair/typebox";
import type { ValueError } from "@sinclair/typebox/compiler";
import { isStorable } from "../lib/text.ts";

/** What a value must be, as the end of a sentence that its name begins. */
export function requirement({ schema, value }: ValueError): string {
	const { minLength, maxLength, minimum, maximum, maxItems } = schema;
	// For a value that may be null, the requirement is that of the value.
	const [type] = [schema.type].flat();
	const options = choices(schema);
	if (value === undefined) return "is required";
	if (options) return `must be ${options.join(" or ")}`;
	if (schema.description) return `must be ${schema.description}`;
	if (type === "object") return "must be an object";
	if (type === "integer" || type === "number") {
		return `must be a whole number from ${minimum} to ${maximum}`;
	}
	if (type === "array") {
		return `must be a list of at most ${maxItems} strings`;
	}
	if (schema.format === "uuid") return "must be a UUID";
	if (typeof value !== "string") return "must be a string";
	if (!isStorable(value)) return "must not contain NUL or lone surrogates";
	if (schema.format === "uri") {
		return `must be an https:// URL of at most ${maxLength} characters`;
	}
	return minLength > 0
		? `must be ${minLength} to ${maxLength} characters`
		: `must be at most ${maxLength} characters`;
}

/** The values of an enumeration, or null when the schema is not one. */
function choices(schema: TSchema): unknown[] | null {
	return schema.enum ?? ("const" in schema ? [schema.const] : null);
}
