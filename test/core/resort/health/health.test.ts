import { describe, expect, test } from "bun:test";
import { onPostgres } from "../../../support/engine.ts";
import { until } from "../../../support/until.ts";
import { useResort } from "../../../support/use-resort.ts";
import { healthy } from "../../../support/values.ts";
import { emptyDisk, fillDisk } from "../../http/outage.ts";

const resort = useResort();

const health = () => resort.call("GET", "/api/health");

const checks = {
	database: "ok",
	identityProviderOrigin: "not_configured",
	identityProviderSsoSecret: "not_configured",
};

describe("GET /api/health", () => {
	test("returns exactly the documented fields if there is no identity provider", async () => {
		const { status, text, headers } = await health();
		expect(status).toBe(200);
		expect(headers.get("content-type")).toBe("application/json");
		expect(JSON.parse(text)).toEqual({
			...healthy,
			checks,
			agentAuth: { provider: "direct", mode: "direct", acceptedProxySource: "none", requiredHeaders: [] },
		});
	});

	test.each(["before the first call", "after a successful call"])(
		"returns 503 if the database becomes unavailable %s",
		async (when) => {
			if (when === "after a successful call") expect((await health()).status).toBe(200);
			if (onPostgres) await resort.server.cut();
			else resort.sqlite.close();
			const { status, text, headers } = await health();
			expect([status, headers.get("content-type")]).toEqual([503, "application/json"]);
			const { error, ...rest } = JSON.parse(text);
			expect(error).toBeString();
			expect(error).not.toBe("");
			expect(rest).toEqual({ checks: { ...checks, database: "unavailable" } });
		},
	);

	/** Registers agents until a registration returns 503. */
	async function failToRegister(): Promise<void> {
		const body = { name: "Ada", bio: "long ".repeat(100) };
		await until(async () => {
			const { status } = await resort.call("POST", "/api/agents", { body });
			return status === 503;
		});
	}

	const statusOf = async () => (await health()).status;
	const commits = () => resort.context.store.statistics.commits;

	test("returns 503 while changes cannot be stored, and 200 as soon as they can, even before the next change", async () => {
		await resort.register();
		await fillDisk(resort);
		await failToRegister();
		const { status, text } = await health();
		expect(status).toBe(503);
		expect(JSON.parse(text)).toMatchObject({
			error: "Database unavailable",
			checks: { database: "unavailable" },
		});
		// Reads still succeed.
		expect((await resort.call("GET", "/api/lobby")).status).toBe(200);
		await emptyDisk(resort);
		await until(async () => (await statusOf()) === 200);
		expect(await resort.rows("SELECT * FROM leases")).toEqual([]);
	});

	test("writes nothing to the database while changes can be stored", async () => {
		await resort.register();
		const before = commits();
		for (let asked = 0; asked < 20; asked++) expect(await statusOf()).toBe(200);
		expect(commits()).toBe(before);
	});

	test("returns 200 although the disk is full, if only an invalid call has failed so far", async () => {
		await resort.call("POST", "/api/agents", { body: { name: "" } });
		await fillDisk(resort);
		expect(await statusOf()).toBe(200);
		await emptyDisk(resort);
	});
});
