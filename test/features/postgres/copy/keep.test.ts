import { expect } from "bun:test";
import { StartError } from "../../../../src/core/lib/start-error.ts";
import { describeTables } from "../../../../src/features/postgres/copy.ts";
import { openPostgres } from "../../../../src/features/postgres/postgres-copy.ts";
import { tables } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";
import { startProxy } from "../support/proxy.ts";
import { connectTo, newDatabase, portOf } from "../support/shared.ts";
import { testOnPostgres } from "../support/test-on-postgres.ts";

for (const [name, isLost] of [
	["a copy to PostgreSQL waits for a slow commit", false],
	["a copy to PostgreSQL fails if the connection breaks during the commit, even if the server commits", true],
] as const) {
	testOnPostgres(name, async () => {
		const url = await newDatabase({ withTables: true });
		await using proxy = await startProxy(portOf(url));
		await using watcher = connectTo(url);
		const countOf = async (from: string) =>
			Number((await watcher.query(`select count(*) as n from ${from}`))[0]?.n);
		await watcher.query(`create function wait() returns trigger language plpgsql as
			$$ begin perform pg_sleep(2); return null; end $$;
			create constraint trigger wait after insert on nonces
			deferrable initially deferred for each row execute function wait()`);
		await using target = await openPostgres("target", describeTables(tables), {
			database: proxy.url(url),
			environment: {},
			signal: new AbortController().signal,
		});
		await target.query("insert into nonces values (?, ?)", ["n", 1]);
		const keeping = target.keep(5);
		if (isLost) {
			const waiting = "pg_stat_activity where wait_event = 'PgSleep'";
			await until(async () => (await countOf(waiting)) === 1);
			proxy.cut();
			await expect(keeping).rejects.toBeInstanceOf(StartError);
		} else await keeping;
		await until(async () => (await countOf("nonces")) === 1);
	});
}
