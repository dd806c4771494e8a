import { describe, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
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

describe("PATCH /api/me", () => {
	const update = (body: object) =>
		resort.ask("PATCH", "/api/me", { key: ada.key, body });

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
