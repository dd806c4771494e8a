import { describe, expect, test } from "bun:test";
import { expectBrokenBound, expectRefusal } from "../../support/answers.ts";
import { unstorable } from "../../support/bodies.ts";
import { textBounds, WIDE } from "../../support/bounds.ts";
import type { Answered } from "../../support/resort.ts";
import { useSharedResort } from "../../support/use-resort.ts";

const resort = useSharedResort();

const register = (body: object) => resort.ask("POST", "/api/agents", { body });

/** Expects the value as it is, or the field's name in the refusal. */
function expectJudged(answer: Answered, field: string, fits: boolean): void {
	if (fits) expect(answer.status).toBe(201);
	else expectBrokenBound(answer, field);
}

const texts = [
	{ field: "name", min: 2, max: 100 },
	{ field: "bio", min: 0, max: 500 },
	{ field: "roomPreference", min: 0, max: 200 },
];
const lists = ["relaxationStyle", "comfortObjects", "interests"] as const;

describe("the bounds of POST /api/agents", () => {
	for (const { field, min, max } of texts) {
		test(`${field} has ${min} to ${max} characters`, async () => {
			for (const { value, fits } of textBounds(min, max)) {
				const answer = await register({ name: "Ada", [field]: value });
				expectJudged(answer, field, fits);
				if (fits)
					expect(answer.body.agent).toMatchObject({ [field]: value || null });
			}
		});

		test(`${field} is counted after trimming`, async () => {
			const value = ` ${"a".repeat(max)}\n\t`;
			const { status } = await register({ name: "Ada", [field]: value });
			expect(status).toBe(201);
		});
	}

	test("a name is not made long by white space", async () => {
		for (const name of ["", "   ", " a ", "a\n\n\n"]) {
			expectRefusal(
				await register({ name }),
				400,
				"name must be 2 to 100 characters",
			);
		}
	});

	for (const field of lists) {
		test(`${field} has at most 10 items`, async () => {
			for (const count of [0, 1, 10, 11]) {
				const value = Array.from({ length: count }, (_, at) => `item ${at}`);
				const answer = await register({ name: "Ada", [field]: value });
				expectJudged(answer, field, count <= 10);
				if (count <= 10) expect(answer.body.agent[field]).toEqual(value);
			}
		});

		test(`an item of ${field} has at most 50 characters`, async () => {
			for (const { value, fits } of textBounds(0, 50)) {
				if (value === "") continue;
				const items = ["short", value];
				const answer = await register({ name: "Ada", [field]: items });
				expectJudged(answer, field, fits);
				if (fits) expect(answer.body.agent[field]).toEqual(items);
			}
		});

		test(`an item of ${field} that is blank is left out`, async () => {
			const { status, body } = await register({
				name: "Ada",
				[field]: ["", "tides", " \t"],
			});
			expect(status).toBe(201);
			expect(body.agent[field]).toEqual(["tides"]);
		});

		test(`an item of ${field} is counted after trimming`, async () => {
			const items = [`  ${WIDE.repeat(50)}  `];
			const { status } = await register({ name: "Ada", [field]: items });
			expect(status).toBe(201);
		});
	}

	const wrongTypes: [field: string, values: unknown[]][] = [
		["name", [5, true, ["Ada"], { first: "Ada" }]],
		["bio", [5, false, ["a"], {}]],
		["roomPreference", [5, true, [], {}]],
		["avatarUrl", [5, true, [], {}]],
		...lists.map((list): [string, unknown[]] => [
			list,
			["naps", 5, {}, [5], [null], [["naps"]], [{}]],
		]),
	];
	for (const [field, values] of wrongTypes) {
		for (const value of values) {
			test(`${field} is not ${JSON.stringify(value)}`, async () => {
				expectBrokenBound(
					await register({ name: "Ada", [field]: value }),
					field,
				);
			});
		}
	}
});

describe("texts that cannot be stored", () => {
	for (const text of unstorable) {
		test(`are refused in every field: ${JSON.stringify(text)}`, async () => {
			for (const field of ["name", "bio", "roomPreference"]) {
				expectBrokenBound(
					await register({ name: "Ada", [field]: text }),
					field,
				);
			}
			for (const list of lists) {
				expectBrokenBound(
					await register({ name: "Ada", [list]: [text] }),
					list,
				);
			}
			const avatarUrl = `https://example.com/${text}`;
			expectBrokenBound(
				await register({ name: "Ada", avatarUrl }),
				"avatarUrl",
			);
		});
	}

	test("are not pairs of surrogates written as escapes", async () => {
		const { body } = await resort.ask("POST", "/api/agents", {
			raw: '{"name":"\\ud83c\\udf34\\ud83c\\udf34"}',
			headers: { "content-type": "application/json" },
		});
		expect(body.agent.name).toBe(WIDE.repeat(2));
	});
});

describe("avatarUrl", () => {
	const url = (length: number) => "https://example.com/".padEnd(length, "a");
	const values: [value: string, fits: boolean][] = [
		[url(499), true],
		[url(500), true],
		[url(501), false],
		[`  ${url(500)}  `, true],
		["https://a", true],
		["https://example.com:8443/a?b=c#d", true],
		["https://[2001:db8::1]/a.png", true],
		["https://bücher.example/🌴.png", true],
		["https://", false],
		["https:///a.png", false],
		["https://?a", false],
		["https://#a", false],
		["https://:443", false],
		["https://exa mple.com", false],
		["https://example.com:99999", false],
		["https://[2001:db8::1", false],
		["https:example.com", false],
		["https:/example.com", false],
		["https:\\\\example.com", false],
		["HTTPS://example.com/a.png", false],
		["http://example.com", false],
		["ftp://example.com", false],
		["javascript:alert(1)//https://example.com", false],
		["data:image/png;base64,AAAA", false],
		["//example.com/a.png", false],
		["example.com/a.png", false],
		["/a.png", false],
	];
	for (const [value, fits] of values) {
		const name = value.trim().slice(0, 40);
		test(`${name} (${value.length}) is ${fits ? "taken" : "refused"}`, async () => {
			const answer = await register({ name: "Ada", avatarUrl: value });
			expectJudged(answer, "avatarUrl", fits);
			if (fits) expect(answer.body.agent.avatarUrl).toBe(value.trim());
		});
	}
});

describe("POST /api/agents with unknown fields beside a broken one", () => {
	test.each([
		[{ name: "A", unknown: { a: 1 } }, "name"],
		[{ unknown: [1], name: 5 }, "name"],
		[{ unknown: 1, name: "Ada", bio: 5 }, "bio"],
		[{ phase: "other", name: "Ada", avatarUrl: "ftp://a" }, "avatarUrl"],
	])("names the broken one: %p", async (body, field) => {
		const answer = await resort.ask("POST", "/api/agents", { body });
		expect(answer.status).toBe(400);
		expect(answer.body.field).toBe(field);
		expect(answer.body.error).toStartWith(`${field} must be`);
	});
});
