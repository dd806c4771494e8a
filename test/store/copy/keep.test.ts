import { expect } from "bun:test";
import { StartError } from "../../../src/lib/start-error.ts";
import { copiedTables } from "../../../src/store/copy/copied-tables.ts";
import { PostgresCopy } from "../../../src/store/postgres/postgres-copy.ts";
import { PostgresFailure } from "../../../src/store/postgres/postgres-failure.ts";
import { startProxy } from "../../support/postgres/proxy.ts";
import { newDatabase, portOf } from "../../support/postgres/shared.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";
import { until } from "../../support/until.ts";
import { connectTo } from "../postgres/database.ts";

/** Opens a target with one row. Its commit runs a statement of PL/pgSQL. */
async function openTarget(atCommit: string) {
	await using opened = new AsyncDisposableStack();
	const url = await newDatabase({ withTables: true });
	const proxy = opened.use(await startProxy(portOf(url)));
	const watcher = opened.use(connectTo(url, 1));
	await watcher.query(`create function act() returns trigger language plpgsql as $$ begin ${atCommit}; return null; end $$;
		create constraint trigger act after insert on nonces deferrable initially deferred for each row execute function act()`);
	const { signal } = new AbortController();
	const access = { database: proxy.url(url), environment: {}, signal };
	const target = await PostgresCopy.openTarget(access);
	opened.defer(() => target.close());
	const table = copiedTables.find(({ name }) => name === "nonces");
	if (table === undefined) throw new Error("there is no table of nonces");
	const rows = [{ nonce: "n", expires_at: 1 }];
	// The indexes come first, because none can be created while the trigger waits for the commit.
	await target.complete();
	await target.add(table, rows, JSON.stringify(rows));
	const countOf = async (from: string) =>
		Number((await watcher.query(`select count(*) as n from ${from}`))[0]?.n);
	const held = opened.move();
	return {
		...{ proxy, target, countOf },
		[Symbol.asyncDispose]: () => held.disposeAsync(),
	};
}

testOnPostgres("the commit of a copy may take long", async () => {
	await using copy = await openTarget("perform pg_sleep(2)");
	await copy.target.keep(5);
	expect(await copy.countOf("nonces")).toBe(1);
});

testOnPostgres(
	"a copy whose connection is lost during the commit may be complete",
	async () => {
		await using copy = await openTarget("perform pg_sleep(1)");
		const keeping = copy.target.keep(5);
		await until(async () => {
			const sleeping = "pg_stat_activity where wait_event = 'PgSleep'";
			return (await copy.countOf(sleeping)) === 1;
		});
		copy.proxy.cut();
		await expect(keeping).rejects.toBeInstanceOf(StartError);
		await until(async () => (await copy.countOf("nonces")) === 1);
	},
);

testOnPostgres("a copy whose commit fails is not kept", async () => {
	await using copy = await openTarget("raise 'refused'");
	const keeping = copy.target.keep(5);
	await expect(keeping).rejects.toBeInstanceOf(PostgresFailure);
	expect(await copy.countOf("nonces")).toBe(0);
});
