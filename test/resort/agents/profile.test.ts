import { describe, expect, test } from "bun:test";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";
import { fields, iso, namesOf } from "../../support/values.ts";

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

const profileOf = (id: string) => resort.ask("GET", `/api/agents/${id}`);

describe("GET /api/agents/{id}", () => {
	test("shows a profile to everyone", async () => {
		const { status, body } = await profileOf(ada.id);
		expectAnswer({ status, body }, 200, "agent ok");
		expect(namesOf(body.agent)).toBe(fields.agent);
		expect(body.agent).toEqual({
			...whole,
			id: ada.id,
			createdAt: iso(resort.nowMs),
			lastActive: null,
		});
	});

	test("does not know an agent that was deactivated", async () => {
		await resort.ask("DELETE", "/api/me", { key: ada.key });
		expectRefusal(await profileOf(ada.id), 404, "Agent not found");
	});
});

test("GET /api/me shows the caller's profile", async () => {
	const { status, body } = await resort.me(ada);
	expectAnswer({ status, body }, 200, "agent ok");
	expect(body.agent).toEqual((await profileOf(ada.id)).body.agent);
});

describe("PATCH /api/me", () => {
	const update = (body: object) =>
		resort.ask("PATCH", "/api/me", { key: ada.key, body });

	test.each<[object]>([
		[{ name: "Bea" }],
		[{ bio: "Now of few words." }],
		[{ relaxationStyle: ["baths"] }],
		[{ comfortObjects: [] }],
		[{ interests: ["tides", "salt"] }],
		[{ avatarUrl: "https://example.com/b" }],
		[{ roomPreference: "a forest" }],
		[{ bio: null, avatarUrl: null, roomPreference: null }],
		[{ name: "Bea", bio: null, interests: ["salt"] }],
	])("sets %j and nothing else", async (changes) => {
		const { status, body } = await update({ ...changes, id: "x", admin: true });
		expectAnswer({ status, body }, 200, "agent ignored ok");
		expect(namesOf(body.agent)).toBe(fields.agent);
		expect(body.agent).toMatchObject({ ...whole, ...changes, id: ada.id });
		const stored = (await profileOf(ada.id)).body.agent;
		expect(stored).toMatchObject({ ...whole, ...changes, id: ada.id });
	});

	test.each([[{}], [{ admin: true }], [{ id: "x", createdAt: "now" }]])(
		"refuses %j: none of its fields",
		async (body) => {
			expectRefusal(
				await update(body),
				400,
				"Body must have one of: name, bio, relaxationStyle, comfortObjects, interests, avatarUrl, roomPreference",
			);
		},
	);
});
