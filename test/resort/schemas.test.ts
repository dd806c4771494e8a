import { describe, expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import {
	Choice,
	Nullable,
	OptionalField,
	Text,
} from "../../src/resort/schemas.ts";

/** Judges a value as the framework does. */
const fits = (schema: TSchema, value: unknown) =>
	TypeCompiler.Compile(schema).Check(value);

describe("Nullable", () => {
	test.each<[TSchema, unknown, boolean]>([
		[Type.String(), null, true],
		[Type.String(), "", true],
		[Type.String(), 5, false],
		[Type.String(), undefined, false],
		[Text(2, 3), null, true],
		[Text(2, 3), "a", false],
		[Text(2, 3), "ab", true],
		[Text(2, 3), "abc", true],
		[Text(2, 3), "abcd", false],
		[Type.Integer({ minimum: 1, maximum: 10 }), null, true],
		[Type.Integer({ minimum: 1, maximum: 10 }), 0, false],
		[Type.Integer({ minimum: 1, maximum: 10 }), 1, true],
		[Type.Integer({ minimum: 1, maximum: 10 }), 10, true],
		[Type.Integer({ minimum: 1, maximum: 10 }), 11, false],
		[Type.Integer({ minimum: 1, maximum: 10 }), 1.5, false],
		[Type.Integer({ minimum: 1, maximum: 10 }), "1", false],
		[Type.Array(Text(0, 1)), null, true],
		[Type.Array(Text(0, 1)), ["ab"], false],
		[Type.Object({ a: Type.String() }), null, true],
		[Type.Object({ a: Type.String() }), {}, false],
	])("%j: %j is %p", (schema, value, isFit) => {
		expect(fits(Nullable(schema), value)).toBe(isFit);
		expect(fits(Type.Object({ a: Nullable(schema) }), { a: value })).toBe(
			isFit,
		);
	});

	test("a field that may be left out takes null, too, and nothing else that is not its value", () => {
		const body = Type.Object({ a: OptionalField(Text(1, 2)) });
		const values = [{}, { a: null }, { a: "a" }, { a: "" }, { a: 1 }];
		expect(values.map((value) => fits(body, value))).toEqual([
			true,
			true,
			true,
			false,
			false,
		]);
	});
});

describe("Choice", () => {
	test.each<[unknown, boolean]>([
		["one", true],
		["two", true],
		["", false],
		["One", false],
		["onetwo", false],
		[["one"], false],
		[null, false],
		[undefined, false],
	])("%j is %p", (value, isFit) => {
		expect(fits(Choice("one", "two"), value)).toBe(isFit);
	});
});
