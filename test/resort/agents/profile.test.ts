import { describe, expect, test } from "bun:test";
import { expectRefusal, fields, iso, namesOf } from "../../support/answers.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort, { bio: "Counts clouds.", interests: ["moss"] });

const profileOf = (id: string) => resort.ask("GET", `/api/agents/${id}`);

describe("GET /api/agents/{id}", () => {
	test("shows a profile to everyone", async () => {
		const { status, body } = await profileOf(ada.id);
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("agent ok");
		expect(body.ok).toBe(true);
		expect(namesOf(body.agent)).toBe(fields.agent);
		expect(body.agent).toEqual({
			id: ada.id,
			name: "Ada",
			bio: "Counts clouds.",
			relaxationStyle: [],
			comfortObjects: [],
			interests: ["moss"],
			avatarUrl: null,
			roomPreference: null,
			createdAt: iso(resort.nowMs),
			lastActive: null,
		});
	});

	test("takes an id in upper case", async () => {
		const { status, body } = await profileOf(ada.id.toUpperCase());
		expect(status).toBe(200);
		expect(body.agent.id).toBe(ada.id);
	});

	test("ignores a credential that is wrong", async () => {
		const { status } = await resort.ask("GET", `/api/agents/${ada.id}`, {
			key: "nonsense",
			session: "nonsense",
		});
		expect(status).toBe(200);
	});

	test("does not know an agent that was deactivated", async () => {
		await resort.ask("DELETE", "/api/me", { key: ada.key });
		expectRefusal(await profileOf(ada.id), 404, "Agent not found");
	});

	for (const id of [
		"018f0000-0000-7000-8000-000000000000",
		"00000000-0000-0000-0000-000000000000",
		"ada",
		"1",
		"%20",
		"%00",
		"%zz",
		"%E0%A4%A",
		"a%2Fb",
		"'%20OR%201=1--",
		"a".repeat(2000),
	]) {
		test(`does not know ${id.slice(0, 40)}`, async () => {
			expectRefusal(await profileOf(id), 404, "Agent not found");
			const status = await resort.ask("GET", `/api/agents/${id}/status`);
			expectRefusal(status, 404, "Agent not found");
			expect(resort.log).toEqual([]);
		});
	}

	test("does not know an id with something around it", async () => {
		for (const id of [
			`${ada.id}0`,
			`{${ada.id}}`,
			ada.id.replaceAll("-", ""),
		]) {
			expectRefusal(await profileOf(id), 404, "Agent not found");
		}
	});
});

describe("GET /api/me", () => {
	test("shows the caller's profile to key and session", async () => {
		const session = await resort.login(ada.key);
		for (const credential of [{ key: ada.key }, { session }]) {
			const { status, body } = await resort.ask("GET", "/api/me", credential);
			expect(status).toBe(200);
			expect(namesOf(body)).toBe("agent ok");
			expect(body.ok).toBe(true);
			expect(namesOf(body.agent)).toBe(fields.agent);
			expect(body.agent.id).toBe(ada.id);
			expect(body.agent.bio).toBe("Counts clouds.");
		}
	});
});
