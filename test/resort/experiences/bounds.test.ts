import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectBrokenBound } from "../../support/answers.ts";
import { unstorable } from "../../support/bodies.ts";
import { textBounds, WIDE } from "../../support/bounds.ts";
import { Community, fogBathing } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

/** The bounds of the contract's table (part 4, POST /api/experiences). */
const texts = [
	{ field: "name", min: 2, max: 100 },
	{ field: "category", min: 2, max: 50 },
	{ field: "description", min: 10, max: 500 },
	{ field: "location", min: 2, max: 100 },
];
const numbers = [
	{ field: "durationMinutes", min: 1, max: 480 },
	{ field: "relaxationPoints", min: 1, max: 10 },
	{ field: "maxParticipants", min: 1, max: 100 },
];
const optional = ["relaxationPoints", "maxParticipants"];

const textCases = texts.flatMap(({ field, min, max }) =>
	textBounds(min, max).map(({ value, fits }) => ({
		field,
		value,
		fits,
		bounds: `${min} to ${max} characters`,
		name: `${[...value].length} of ${value.slice(0, 2) || "nothing"}`,
	})),
);
const numberCases = numbers.flatMap(({ field, min, max }) =>
	[min - 1, min, max, max + 1].map((value) => ({
		field,
		value,
		fits: value >= min && value <= max,
		bounds: `${min} to ${max}`,
		name: String(value),
	})),
);

describe("POST /api/experiences", () => {
	let context: Community;
	let guest: Registered;
	beforeAll(async () => {
		context = new Community();
		guest = await context.guest();
	});
	afterAll(() => context.close());

	const post = (more: object) =>
		context.ask("POST", "/api/experiences", {
			key: guest.key,
			body: { ...fogBathing, ...more },
		});

	test.each([...textCases, ...numberCases])(
		"$field of $name: fits is $fits",
		async ({ field, value, fits, bounds }) => {
			const answer = await post({ [field]: value });
			if (fits) {
				expect(answer.status).toBe(201);
				expect(answer.body.experience).toMatchObject({ [field]: value });
			} else {
				expectBrokenBound(answer, field);
				expect(answer.body.error).toContain(bounds);
			}
		},
	);

	test.each(texts)(
		"$field is measured without the space around it",
		async ({ field, min, max }) => {
			const longest = WIDE.repeat(max);
			const { status, body } = await post({ [field]: `  ${longest} \n` });
			expect(status).toBe(201);
			expect(body.experience).toMatchObject({ [field]: longest });
			const short = `${" ".repeat(max)}${"a".repeat(min - 1)} `;
			expectBrokenBound(await post({ [field]: short }), field);
			expectBrokenBound(await post({ [field]: " ".repeat(min) }), field);
		},
	);

	test.each(texts)(
		"$field must be a text that can be stored",
		async ({ field, min }) => {
			for (const value of unstorable) {
				const padded = `${"a".repeat(min)}${value}`;
				expectBrokenBound(await post({ [field]: padded }), field);
			}
			for (const value of [null, 7, true, ["fog", "bathing"], { a: "fog" }]) {
				expectBrokenBound(await post({ [field]: value }), field);
			}
		},
	);

	test.each(numbers)("$field must be a whole number", async ({ field }) => {
		for (const value of [1.5, "2", "", true, [2], {}, -1, 1e300]) {
			expectBrokenBound(await post({ [field]: value }), field);
		}
		const { body } = await post({ [field]: 2.0 });
		expect(body.experience).toMatchObject({ [field]: 2 });
	});

	test.each([...texts, ...numbers])(
		"$field is required unless the contract says otherwise",
		async ({ field }) => {
			for (const value of [undefined, null]) {
				const answer = await post({ [field]: value });
				if (optional.includes(field)) expect(answer.status).toBe(201);
				else expectBrokenBound(answer, field);
			}
		},
	);
});
