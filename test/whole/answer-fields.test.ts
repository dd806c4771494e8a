/**
 * Compares exact-mirror, which copies the fields of responses, with the slower `Value.Clean` of TypeBox.
 * exact-mirror had bugs with arrays of objects with optional fields. One remains: arrays that contain `null`.
 */
import { expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { operations, unlisted } from "../../src/cli/operations.ts";
import { copyFields, findError } from "../../src/core/lib/schema-compiler.ts";
import { allowed } from "./fuzz-values.ts";

const answers: readonly (readonly [name: string, TSchema])[] = [...operations, ...unlisted].flatMap(
	({ id, answers, views = {} }) =>
		Object.entries<TSchema>({ ...answers, ...views }).map(
			([name, schema]) =>
				[`the ${name in answers ? name : `shorter "${name}"`} response of ${id}`, schema] as const,
		),
);

/** Fields that no schema has. Some values could be mistaken for nested objects. */
const unknown = fc.dictionary(
	fc.constantFrom("unknown", "secretHash"),
	fc.constantFrom(null, "x", [{ id: "x" }]),
);

test.each(answers)("copyFields copies the fields of the schema, and no others: %s", (_, schema) => {
	const property = fc.property(allowed(schema, unknown), (value) => {
		expect(findError(schema, value)).toBeUndefined();
		expect(copyFields(schema, value)).toStrictEqual(Value.Clean(schema, structuredClone(value)));
	});
	fc.assert(property, { numRuns: 30 });
});
