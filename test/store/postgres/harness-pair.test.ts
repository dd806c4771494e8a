import { expect } from "bun:test";
import { SQL } from "bun";
import { startPair } from "../../support/postgres/pair.ts";
import { startProxy } from "../../support/postgres/proxy.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";

const COMMITS = 50;

testOnPostgres(
	"a promoted standby has all that the killed primary acknowledged",
	async (version) => {
		await using pair = await startPair({ version, password: "secret" });
		await using proxy = await startProxy(pair.primary.port);
		await using before = new SQL(proxy.url(pair.primary.url), { max: 1 });
		await before`create table kept (n int)`;
		for (let n = 0; n < COMMITS; n++)
			await before`insert into kept values (${n})`;
		{
			await using standby = new SQL(pair.standby.url, { max: 1 });
			const write = standby`create table other (n int)`.execute();
			await expect(write).rejects.toThrow("read-only");
		}
		await pair.killPrimary();
		await pair.promote();
		proxy.retarget(pair.standby.port);
		await using after = new SQL(proxy.url(pair.standby.url), { max: 1 });
		const [found] = await after`select count(*)::int as n from kept`;
		expect(found.n).toBe(COMMITS);
		// It waits for no standby of its own.
		await after`insert into kept values (${COMMITS})`;
		const [names] = await after`show synchronous_standby_names`;
		expect(names.synchronous_standby_names).toBe("");
	},
);

testOnPostgres("a commit waits for the standby", async (version) => {
	await using pair = await startPair({ version });
	await using sql = new SQL(pair.primary.url, { max: 2 });
	await sql`create table kept (n int)`;
	await pair.standby.kill();
	let isCommitted = false;
	const insert = sql`insert into kept values (1)`.execute();
	insert.then(() => {
		isCommitted = true;
	});
	await Bun.sleep(100);
	expect(isCommitted).toBe(false);
	await pair.standby.restart();
	await insert;
});
