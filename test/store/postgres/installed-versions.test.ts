import { expect, test } from "bun:test";
import { checkDatabase } from "../../../src/store/postgres/doctor.ts";
import { QUICK, startCluster } from "../../support/postgres/cluster.ts";
import { Houses } from "../../support/postgres/houses.ts";
import { installations } from "../../support/postgres/installations.ts";

for (const { version, bin } of installations) {
	test(`PostgreSQL ${version}: instances see what others write, and doctor finds no fault`, async () => {
		await using cluster = await startCluster({ bin, settings: QUICK });
		await using houses = await Houses.open(cluster.url, { count: 2 });
		const [one, other] = [houses.at(0), houses.at(1)];
		const { id, key } = await one.register();
		await one.ask("POST", "/api/checkin", { key });
		const { body } = await other.ask("GET", `/api/agents/${id}/status`);
		expect(body.status).toBe("relaxing");
		const checks = await checkDatabase(
			{ database: houses.url, connections: 4, environment: {}, maxBytes: 0 },
			Date.now,
		);
		expect(checks.filter(({ level }) => level === "fail")).toEqual([]);
		expect(checks).toContainEqual({
			name: "server",
			level: "ok",
			what: expect.stringContaining(`PostgreSQL ${version}.`),
		});
	});
}
