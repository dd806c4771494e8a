import { describe, expect, test } from "bun:test";
import { onPostgres } from "../../support/engine.ts";
import { useResort } from "../../support/use-resort.ts";
import { healthy } from "../../support/values.ts";

const resort = useResort();

const health = () => resort.ask("GET", "/api/health");

const checks = {
	database: "ok",
	identityProviderOrigin: "not_configured",
	identityProviderSsoSecret: "not_configured",
};

describe("GET /api/health", () => {
	test("says exactly this of a resort of its own", async () => {
		const { status, text, headers } = await health();
		expect(status).toBe(200);
		expect(headers.get("content-type")).toBe("application/json");
		expect(JSON.parse(text)).toEqual({
			...healthy,
			checks,
			agentAuth: {
				provider: "direct",
				mode: "direct",
				acceptedProxySource: "none",
				requiredHeaders: [],
			},
		});
	});

	for (const name of ["from the start", "after it was healthy"]) {
		test(`is 503 when the database is gone ${name}`, async () => {
			if (name === "after it was healthy") {
				expect((await health()).status).toBe(200);
			}
			if (onPostgres) await resort.server.cut();
			else resort.sqlite.close();
			const { status, text, headers } = await health();
			expect(status).toBe(503);
			expect(headers.get("content-type")).toBe("application/json");
			const { error, ...rest } = JSON.parse(text);
			expect(error).toBeString();
			expect(error).not.toBe("");
			expect(rest).toEqual({ checks: { ...checks, database: "unavailable" } });
		});
	}
});
