import { describe, expect, test } from "bun:test";
import { ambiances } from "../../src/content/ambiances.ts";
import {
	experienceReflections,
	ownExperienceReflections,
} from "../../src/content/experience-reflections.ts";
import { refreshedStatus } from "../../src/content/refreshment.ts";
import {
	instructions,
	nextCall,
} from "../../src/content/registration-texts.ts";
import { RegisterBody } from "../../src/resort/agents/model.ts";

/** The bounds that a caller must know, wherever they stand in a schema. */
function boundsOf(schema: unknown): number[] {
	if (typeof schema !== "object" || schema === null) return [];
	return Object.entries(schema).flatMap(([key, value]) =>
		/^(min|max)(Length|Items)$/.test(key) && value !== 0
			? [Number(value)]
			: boundsOf(value),
	);
}

const fields = Object.entries(RegisterBody.properties)
	// Of an invitation the hint tells, where one is needed.
	.filter(([field]) => field !== "inviteCode")
	.map(([field, schema]) => ({ field, bounds: boundsOf(schema) }));

describe("the instructions of registration", () => {
	test("are about seven fields, all of them with bounds", () => {
		expect(fields).toHaveLength(7);
		expect(fields.flatMap(({ bounds }) => bounds)).toHaveLength(11);
	});

	test.each(fields)("name $field and its bounds $bounds", (entry) => {
		// What is said of a field stands in the brackets after its name.
		const said = new RegExp(`\\b${entry.field}\\b[^()]*\\(([^)]*)\\)`);
		const [, brackets = ""] = said.exec(instructions) ?? [];
		const numbers = (brackets.match(/\d+/g) ?? []).map(Number);
		expect(numbers.toSorted()).toEqual(entry.bounds.toSorted());
	});

	test("say that an avatar is https and that all of it is public", () => {
		expect(instructions).toMatch(/avatarUrl \([^)]*\bhttps\b/);
		expect(instructions).toContain("public");
	});
});

describe("the hint of registration", () => {
	const hint = nextCall(null);

	test("is a call with a body that phase 2 knows", () => {
		expect(hint).toContain("POST /api/agents");
		const example: unknown = JSON.parse(/\{.*\}/.exec(hint)?.[0] ?? "null");
		const keys = Object.keys(Object(example));
		expect(keys).toContain("name");
		expect(Object.keys(RegisterBody.properties)).toEqual(
			expect.arrayContaining(keys),
		);
	});

	test("tells how the key is used", () => {
		expect(hint).toContain("Authorization: Bearer <apiKey>");
	});
});

describe("the ambiances", () => {
	test("are at least 20, all different", () => {
		expect(ambiances.length).toBeGreaterThanOrEqual(20);
		expect(new Set(ambiances).size).toBe(ambiances.length);
		for (const ambiance of ambiances) expect(ambiance).toMatch(/^\S.*\S$/);
	});
});

describe("the reflections on experiences", () => {
	const all = [...experienceReflections, ...ownExperienceReflections];

	test("are many, and none is there twice", () => {
		expect(experienceReflections.length).toBeGreaterThanOrEqual(20);
		expect(ownExperienceReflections.length).toBeGreaterThanOrEqual(10);
		expect(new Set(all).size).toBe(all.length);
	});

	test.each(ownExperienceReflections)(
		"speak to the maker as the maker: %s",
		(text) => {
			expect(text).not.toMatch(
				/\b(another guest|other guests?|stranger|somebody|someone|whoever)\b/i,
			);
		},
	);
});

describe("refreshedStatus", () => {
	const words = Array.from({ length: 201 }, (_, points) =>
		refreshedStatus(points),
	);

	test("has at least five different words, none of them empty", () => {
		expect(new Set(words).size).toBeGreaterThanOrEqual(5);
		expect(words).not.toContain("");
	});

	test("only rises: what has been left behind does not come back", () => {
		const changes = words.filter((word, points) => word !== words[points - 1]);
		expect(changes).toHaveLength(new Set(words).size);
	});

	test("stays at the highest for ever", () => {
		expect(refreshedStatus(Number.MAX_SAFE_INTEGER)).toBe(words[200] ?? "");
	});
});
