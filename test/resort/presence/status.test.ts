import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/lib/clock.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const ask = (method: string, path: string) =>
	resort.ask(method, path, { key: ada.key });
const statusOf = () => resort.ask("GET", `/api/agents/${ada.id}/status`);

describe("GET /api/agents/{id}/status", () => {
	test("shows a guest as relaxing after the clock was set back", async () => {
		resort.advance(HOUR_MS);
		await ask("POST", "/api/checkin");
		await ask("POST", "/api/checkout");
		resort.advance(-HOUR_MS / 2);
		const { status, body } = await ask("POST", "/api/checkin");
		expect(status).toBe(201);
		const shown = (await statusOf()).body;
		expect(shown.status).toBe("relaxing");
		expect(shown.stay.checkedInAt).toBe(body.stay.checkedInAt);
	});
});
