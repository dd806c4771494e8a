import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import { migrate, migrations } from "../../../../src/features/postgres/postgres-migrations.ts";
import { useTemporaryFolder } from "../../../support/folder.ts";
import { openDatabase } from "../support/shared.ts";
import { testOnPostgres } from "../support/test-on-postgres.ts";

const folder = useTemporaryFolder();

test("`resort restore` refuses a PostgreSQL database, and prints a command with `pg_restore`", async () => {
	folder.write("postgres://:hunter2@db.test/resort\n", "address");
	const env = { RESORT_DATABASE_FILE: "address", PGUSER: "ada", PGPASSWORD: "hunter2" };
	const stderr = await folder.refuse(["restore", "my copy"], "pg_restore", 2, { env });
	// The URL in the command names the file of the certificates that this system trusts, or else `system`.
	expect(stderr.replace(/=(system|\/etc\/[\w/.-]+)'/, "=FILE'")).toBe(
		"resort: the database is PostgreSQL; use PostgreSQL's own program after stopping all instances: " +
			"pg_restore --clean --if-exists --no-owner --single-transaction " +
			"'--dbname=postgres://ada@db.test:5432/resort?sslmode=verify-full&sslrootcert=FILE' 'my copy'\n",
	);
	expect(readdirSync(folder.path)).toEqual(["address"]);
});

testOnPostgres(
	"`resort admin` refuses an empty PostgreSQL database, and migrates one with an older schema",
	async () => {
		await using database = await openDatabase({ withTables: false });
		const { url, query } = database;
		for (const args of [["agents"], ["page", "--end"]]) {
			const stderr = await folder.refuse(["admin", ...args, "--database", url], "is empty", 1);
			expect(stderr).toMatch(
				/^resort: cannot use the database postgres:\S+: it is empty; start resort serve with it first/,
			);
		}
		expect(await query("select 1 from pg_class where relname = 'heads'")).toHaveLength(0);

		await migrate(query, migrations.slice(0, -1));
		const { exitCode, stdout, stderr } = await folder.run(["admin", "agents", "--database", url]);
		expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "No agents found.\n" });
		expect(stderr).toContain("database migrated");
	},
);

testOnPostgres(
	"a start with `--max-stay` that shortens stays invalidates the caches of other instances, without an event for readers",
	async () => {
		await using database = await openDatabase();
		const serve = (...flags: string[]) =>
			folder.serve(["serve", "--port", "0", "--database", database.url, ...flags]);
		const first = await serve();
		const { id } = await first.guest();
		const status = () => first.send("GET", `/api/agents/${id}/status`);
		const published = async () => {
			const [row] = await database.query("select sum(n)::int as n from heads where slot > 0");
			return Number(row?.n);
		};
		// The second call is answered from the cache.
		for (let call = 0; call < 2; call++) expect((await status()).stay.endsBy).toBeNull();
		const { cursor } = await first.send("GET", "/api/events?since=0");
		const before = await published();
		// Only the first of these starts shortens the stay. The second one publishes nothing.
		for (let start = 0; start < 2; start++) {
			await (await serve("--max-stay", "5")).stop("SIGKILL");
			const { checkedInAt, endsBy } = (await status()).stay;
			expect(Date.parse(`${endsBy}`) - Date.parse(`${checkedInAt}`)).toBe(5 * HOUR_MS);
			expect(await published()).toBe(before + 1);
		}
		expect((await first.send("GET", `/api/events?since=${cursor}`)).events).toEqual([]);
		await first.stop();
	},
);
