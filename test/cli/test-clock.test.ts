import { beforeEach, describe, expect, test } from "bun:test";
import { useServing } from "../support/use-serving.ts";
import { ask } from "../support/visit.ts";

const flags = ["--test-controls", "--rate-limits", "on", "--max-stay", "1"];
const resort = useServing(["--ephemeral", ...flags]);

beforeEach(async () => {
	await ask(resort.url, "POST", "/test/reset");
	await moveTo("2030-05-01T10:00:00Z");
});

function moveTo(now: string) {
	return ask(resort.url, "POST", "/test/clock", "", { now });
}

function advance(advanceSeconds: number) {
	return ask(resort.url, "POST", "/test/clock", "", { advanceSeconds });
}

function get(path: string, key = "") {
	return ask(resort.url, "GET", path, key);
}

/** An agent that is checked in. */
async function arrive() {
	const { url } = resort;
	const name = { name: "Ada" };
	const { agent, apiKey } = await ask(url, "POST", "/api/agents", "", name);
	await ask(resort.url, "POST", "/api/checkin", apiKey);
	return { id: agent.id, key: apiKey };
}

describe("POST /test/clock moves", () => {
	test("the end of a stay, in all that tells of it", async () => {
		const { id, key } = await arrive();
		const told = async () => ({
			status: (await get(`/api/agents/${id}/status`)).status,
			guests: (await get("/api/lobby")).guests.length,
			stay: (await get("/api/stays", key)).stays[0]?.status,
			state: (await get("/test/state")).guests,
		});
		await moveTo("2030-05-01T10:59:00Z");
		expect(await told()).toMatchObject({
			status: "relaxing",
			guests: 1,
			stay: "checked_in",
			state: 1,
		});
		await advance(120);
		expect(await told()).toMatchObject({
			status: "available",
			guests: 0,
			stay: "checked_out",
			state: 0,
		});
		await ask(resort.url, "POST", "/api/checkin", key);
	});

	test("when an agent was heard of last, also back", async () => {
		const { key } = await arrive();
		const lastActive = async () => (await get("/api/me", key)).agent.lastActive;
		await moveTo("2030-06-01T00:00:00Z");
		expect(await lastActive()).toStartWith("2030-06-01T00:00:");
		await moveTo("2029-01-01T00:00:00Z");
		expect(await lastActive()).toStartWith("2029-01-01T00:00:");
	});

	test("back before the stay began: it goes on, ends and locks nobody out", async () => {
		const { id, key } = await arrive();
		await moveTo("2029-01-01T00:00:00Z");
		expect((await get(`/api/agents/${id}/status`)).status).toBe("relaxing");
		const { summary } = await ask(resort.url, "POST", "/api/checkout", key);
		expect(summary.duration).toBe("less than a minute");
		for (let at = 0; at < 4; at++) {
			const checkin = await ask(resort.url, "POST", "/api/checkin", key);
			expect(checkin.stay.checkedInAt).toStartWith("2029-01-01T00:00:");
			await ask(resort.url, "POST", "/api/checkout", key);
		}
	});
});
