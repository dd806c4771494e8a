/**
 * The parts of TypeBox that the program uses besides `Type` and `Static`: custom kinds, formats, the compiler
 * and its errors. The library `exact-mirror` is also used only here, because it depends on the version of
 * TypeBox.
 */
import { FormatRegistry, Kind, type Static, type TSchema, Type, TypeRegistry } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, ValueErrorType } from "@sinclair/typebox/compiler";
import { createMirror } from "exact-mirror";
import { isUuid } from "./text.ts";

/** The first error in a value that does not match its schema. */
export interface SchemaError {
	/** The path of the invalid part, such as `/agents/2/name`. */
	readonly path: string;
	readonly message: string;
	/** The schema of the invalid part. */
	readonly schema: TSchema;
	/** The invalid part; undefined if it is missing. */
	readonly value: unknown;
}

/** The compiled forms of a schema. Each form is created at its first use. */
interface Compiled {
	readonly check: TypeCheck<TSchema>;
	mirror?: (value: unknown) => unknown;
}

const compiled = new WeakMap<TSchema, Compiled>();

// TypeBox itself knows no formats. The function `checked` below validates values with the format `uri`.
FormatRegistry.Set("uuid", isUuid);
// TypeBox checks this format only in responses, whose times are results of `toTimestamp`. The times in
// requests are validated by the function `checked` below.
FormatRegistry.Set("date-time", (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value));

/** The key of the property in which a schema of the kind `Checked` stores its validation function. */
const ACCEPTS = Symbol("accepts");

TypeRegistry.Set<{ [ACCEPTS]: (value: unknown) => boolean }>("Checked", (schema, value) =>
	schema[ACCEPTS](value),
);

/** Creates a schema of the custom kind `Checked`. The function `accepts` validates its values. */
export function checked<T>(schema: object, accepts: (value: unknown) => boolean) {
	return Type.Unsafe<T>({ ...schema, [Kind]: "Checked", [ACCEPTS]: accepts });
}

/** Whether a value matches a schema. Unknown fields are allowed. */
export function matches<T extends TSchema>(schema: T, value: unknown): value is Static<T> {
	return compile(schema).check.Check(value);
}

/**
 * Returns the most specific cause of the first error in a value, if there is one. For a nullable list or
 * object, this is the error in the list or object, not the fact that the value is not null.
 */
export function findError(schema: TSchema, value: unknown): SchemaError | undefined {
	let error = compile(schema).check.Errors(value).First();
	while (error?.type === ValueErrorType.Union) {
		error = error.errors[0]?.First();
	}
	return error;
}

/** Returns a copy of a value with only the fields of the schema; undefined if the value does not match. */
export function copyFields<T extends TSchema>(schema: T, value: unknown): Static<T> | undefined {
	const entry = compile(schema);
	if (!entry.check.Check(value)) return undefined;
	entry.mirror ??= createMirror(schema, { TypeCompiler });
	return entry.mirror(value);
}

function compile(schema: TSchema): Compiled {
	return compiled.getOrInsertComputed(schema, () => ({ check: TypeCompiler.Compile(schema) }));
}
