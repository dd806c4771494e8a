import { describe, expect, test } from "bun:test";
import { onPostgres } from "../../../support/engine.ts";
import { emptyDisk, fillDisk } from "../../../support/outage.ts";
import { until } from "../../../support/until.ts";
import { useResort } from "../../../support/use-resort.ts";
import { healthy } from "../../../support/values.ts";

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
			agentAuth: { provider: "direct", mode: "direct", acceptedProxySource: "none", requiredHeaders: [] },
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

	/** Registers until the storage refuses it. */
	async function failToRegister(): Promise<void> {
		const body = { name: "Ada", bio: "long ".repeat(100) };
		await until(async () => {
			const { status } = await resort.ask("POST", "/api/agents", { body });
			return status === 503;
		});
	}

	const statusOf = async () => (await health()).status;
	const commits = () => resort.context.store.statistics.commits;

	test("is 503 while changes cannot be stored, and 200 after that without another change", async () => {
		await resort.register();
		await fillDisk(resort);
		await failToRegister();
		const { status, text } = await health();
		expect(status).toBe(503);
		expect(JSON.parse(text)).toMatchObject({
			error: "Database unavailable",
			checks: { database: "unavailable" },
		});
		// The resort goes on answering reads.
		expect((await resort.ask("GET", "/api/lobby")).status).toBe(200);
		await emptyDisk(resort);
		await until(async () => (await statusOf()) === 200);
		expect(await resort.rows("SELECT * FROM leases")).toEqual([]);
	});

	test("writes nothing while changes are stored", async () => {
		await resort.register();
		const before = commits();
		for (let asked = 0; asked < 20; asked++) expect(await statusOf()).toBe(200);
		expect(commits()).toBe(before);
	});

	test("is 200 though a change was refused for a reason of its own", async () => {
		await resort.ask("POST", "/api/agents", { body: { name: "" } });
		await fillDisk(resort);
		expect(await statusOf()).toBe(200);
		await emptyDisk(resort);
	});
});
