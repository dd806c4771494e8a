import { expect, test } from "bun:test";
import { SQL } from "bun";
import {
	noSmallDisk,
	startOnSmallDisk,
} from "../../support/postgres/full-disk.ts";
import { testOnPostgres } from "../../support/postgres/test-on-postgres.ts";

/** More than a full disk takes, and far less than fits on the disk while it is not filled: 800 KiB. */
const MOST_ROWS = 100;

/** Rows of 8 KiB that do not compress; how many were acknowledged before one was refused. */
async function writeUntilRefused(url: string): Promise<number> {
	await using sql = new SQL(url, { max: 1, connectionTimeout: 2 });
	for (let n = 0; n < MOST_ROWS; n++) {
		try {
			await sql`insert into kept select string_agg(gen_random_uuid()::text, '') from generate_series(1, 220)`;
		} catch {
			return n;
		}
	}
	return MOST_ROWS;
}

if (noSmallDisk === undefined) {
	testOnPostgres(
		"a full disk refuses writes and loses none",
		async (version) => {
			await using cluster = await startOnSmallDisk({ version });
			{
				await using sql = new SQL(cluster.url, { max: 1 });
				await sql`create table kept (text text)`;
			}
			cluster.fillDisk();
			const written = await writeUntilRefused(cluster.url);
			expect(written).toBeLessThan(MOST_ROWS);
			cluster.emptyDisk();
			await cluster.restart();
			await using sql = new SQL(cluster.url, { max: 1 });
			const [found] = await sql`select count(*)::int as n from kept`;
			expect(found.n).toBe(written);
			await sql`insert into kept values ('there is room')`;
		},
	);
} else {
	test.skip(`a full disk refuses writes and loses none (${noSmallDisk})`, () => {});
}
