import { expect } from "bun:test";
import { QUICK, startCluster } from "../../support/postgres/cluster.ts";
import { Houses } from "../../support/postgres/houses.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";

testOnPostgres(
	"a backup that is put in the place of the database while instances serve is noticed",
	async () => {
		await using cluster = await startCluster({ settings: QUICK });
		await using houses = await Houses.open(cluster.url, { count: 2 });
		const [one, other] = [houses.at(0), houses.at(1)];
		const ada = await one.register();
		await one.ask("POST", "/api/checkin", { key: ada.key });
		await one.ask("POST", "/api/checkout", { key: ada.key });
		const statuses = () =>
			Promise.all(
				[one, other].map(
					async (context) =>
						(await context.ask("GET", `/api/agents/${ada.id}/status`)).body
							.status,
				),
			);
		expect(await statuses()).toEqual(["available", "available"]);
		const before = await houses.rows(
			"select string_agg(format('(%s,%s)', slot, n), ',') as heads from heads where slot > 0",
		);
		await one.ask("POST", "/api/checkin", { key: ada.key });
		expect(await statuses()).toEqual(["relaxing", "relaxing"]);
		await houses.rows(
			`with stay as (delete from stays), agent as (update agents set newest_stay = 0)
			update heads set n = kept.n from (values ${before[0]?.heads}) as kept (slot, n) where heads.slot = kept.slot`,
		);
		expect(await statuses()).toEqual(["available", "available"]);
	},
);
