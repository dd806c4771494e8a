import { describe, expect, test } from "bun:test";
import {
	expectBrokenBound,
	expectRefusal,
	fields,
	namesOf,
} from "../../support/answers.ts";
import {
	brokenBodies,
	emptyBodies,
	largeBody,
	unstorable,
} from "../../support/bodies.ts";
import { textBounds } from "../../support/bounds.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const whole = {
	name: "Ada",
	bio: "Counts clouds.",
	relaxationStyle: ["naps"],
	comfortObjects: ["a warm stone"],
	interests: ["moss"],
	avatarUrl: "https://example.com/ada.png",
	roomPreference: "near the sea",
};

const resort = useResort();
const ada = useAgent(resort, whole);

const update = (body: object) =>
	resort.ask("PATCH", "/api/me", { key: ada.key, body });

async function stored() {
	const { body } = await resort.ask("GET", `/api/agents/${ada.id}`);
	return body.agent;
}

const changes: [field: string, value: unknown, kept: unknown][] = [
	["name", "  Bea ", "Bea"],
	["bio", " Now of few words. ", "Now of few words."],
	["relaxationStyle", [" baths "], ["baths"]],
	["comfortObjects", [], []],
	["interests", ["tides", "salt "], ["tides", "salt"]],
	["interests", ["", "tides", "\u2003\n"], ["tides"]],
	["avatarUrl", "https://example.com/b ", "https://example.com/b"],
	["roomPreference", "a forest", "a forest"],
	["bio", null, null],
	["avatarUrl", null, null],
	["roomPreference", null, null],
	["bio", "", null],
	["avatarUrl", "  ", null],
	["roomPreference", "\n", null],
];

describe("PATCH /api/me", () => {
	for (const [field, value, kept] of changes) {
		test(`sets ${field} to ${JSON.stringify(value)} and nothing else`, async () => {
			const { status, body } = await update({ [field]: value });
			expect(status).toBe(200);
			expect(namesOf(body)).toBe("agent ok");
			expect(body.ok).toBe(true);
			expect(namesOf(body.agent)).toBe(fields.agent);
			expect(body.agent).toMatchObject({ ...whole, [field]: kept });
			expect(await stored()).toMatchObject({ ...whole, [field]: kept });
		});
	}

	test("changes several fields at once, with the session too", async () => {
		const session = await resort.login(ada.key);
		const { status } = await resort.ask("PATCH", "/api/me", {
			session,
			body: { name: "Bea", bio: null, interests: ["salt"] },
		});
		expect(status).toBe(200);
		expect(await stored()).toMatchObject({
			...whole,
			name: "Bea",
			bio: null,
			interests: ["salt"],
		});
	});

	test("ignores unknown fields beside a known one", async () => {
		const { status, body } = await update({
			name: "Bea",
			id: "x",
			admin: true,
		});
		expect(status).toBe(200);
		expect(body.agent).toMatchObject({ ...whole, name: "Bea", id: ada.id });
	});

	for (const field of [
		"name",
		"relaxationStyle",
		"comfortObjects",
		"interests",
	]) {
		test(`refuses null for ${field}`, async () => {
			expectBrokenBound(await update({ bio: null, [field]: null }), field);
			expect(await stored()).toMatchObject(whole);
		});
	}

	for (const { name, ask } of emptyBodies) {
		test(`refuses ${name}`, async () => {
			const answer = await resort.ask("PATCH", "/api/me", {
				...ask,
				key: ada.key,
			});
			expectRefusal(answer, 400, answer.body.error);
		});
	}

	for (const body of [{ admin: true }, { id: "x", createdAt: "now" }]) {
		test(`refuses ${JSON.stringify(body)}: no field that it knows`, async () => {
			const answer = await update(body);
			expectRefusal(answer, 400, answer.body.error);
		});
	}

	for (const { name, ask } of brokenBodies) {
		test(`refuses ${name}`, async () => {
			const answer = await resort.ask("PATCH", "/api/me", {
				...ask,
				key: ada.key,
			});
			expectRefusal(answer, 400, answer.body.error);
			expect(answer.body.error).toContain("JSON");
		});
	}

	test("refuses a body over 64 KiB", async () => {
		const { key } = ada;
		const answer = await resort.ask("PATCH", "/api/me", { ...largeBody, key });
		expectRefusal(answer, 413, answer.body.error);
	});

	for (const [field, min, max] of [
		["name", 2, 100],
		["bio", 0, 500],
		["roomPreference", 0, 200],
	] as const) {
		test(`takes ${field} of ${min} to ${max} characters`, async () => {
			for (const { value, fits } of textBounds(min, max)) {
				const before = (await stored())[field];
				const answer = await update({ [field]: value });
				if (fits) expect(answer.status).toBe(200);
				else expectBrokenBound(answer, field);
				expect((await stored())[field]).toBe(fits ? value || null : before);
			}
		});

		test(`refuses ${field} that cannot be stored`, async () => {
			for (const text of unstorable) {
				expectBrokenBound(await update({ [field]: text }), field);
			}
		});
	}

	for (const field of [
		"relaxationStyle",
		"comfortObjects",
		"interests",
	] as const) {
		test(`takes 10 items of 50 characters as ${field}`, async () => {
			const items = (count: number, length: number) =>
				Array.from({ length: count }, () => "a".repeat(length));
			expect((await update({ [field]: items(10, 50) })).status).toBe(200);
			expectBrokenBound(await update({ [field]: items(11, 50) }), field);
			expectBrokenBound(await update({ [field]: items(10, 51) }), field);
			expectBrokenBound(await update({ [field]: unstorable }), field);
			expect((await stored())[field]).toEqual(items(10, 50));
		});
	}

	test("takes an https address of 500 characters as avatarUrl", async () => {
		const url = (length: number) => "https://a/".padEnd(length, "a");
		expect((await update({ avatarUrl: url(500) })).status).toBe(200);
		for (const avatarUrl of [url(501), "http://a/", "https://", "a", 5]) {
			expectBrokenBound(await update({ avatarUrl }), "avatarUrl");
		}
		expect((await stored()).avatarUrl).toBe(url(500));
	});
});
