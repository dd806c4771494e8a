import { expect, test } from "bun:test";
import { TestResort } from "./support/resort.ts";

test("works", async () => {
	const r = new TestResort({ rateLimits: true });
	const a = await r.guest();
	const x = await r.ask("GET", `/api/agents/${a.id}/status`);
	expect(x.body.status).toBe("relaxing");
	expect(x.headers.get("content-type")).toBe("application/json");
	await r.close();
});
