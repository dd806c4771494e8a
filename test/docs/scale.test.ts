import { expect } from "bun:test";
import { SQL } from "bun";
import { startCluster } from "../features/postgres/support/cluster.ts";
import { testOnPostgres } from "../features/postgres/support/test-on-postgres.ts";
import { blocksOf, partOf } from "../support/documents.ts";
import { ProgramFolder } from "../support/folder.ts";

testOnPostgres("the SQL in docs/scale.md sets up a database that `resort doctor` accepts", async () => {
	await using cluster = await startCluster();
	const [statements = ""] = blocksOf(partOf("docs/scale.md", "Set it up"), "sql");
	await using boss = new SQL(cluster.url, { max: 1 });
	await boss`create role admin superuser login`;
	await using sql = new SQL(cluster.url.replace("resort@", "admin@"), { max: 1 });
	// The statements create a role `resort`, so the existing role with this name is renamed first.
	await sql`alter role resort rename to boss`;
	for (const statement of statements.trim().split("\n")) await sql.unsafe(statement);
	using folder = new ProgramFolder();
	const flags = ["--port", "0", "--database", `postgres://resort@127.0.0.1:${cluster.port}/resort`];
	const resort = await folder.serve(flags);
	expect((await resort.stop()).exitCode).toBe(0);
	const { exitCode, stdout } = await folder.run(["doctor", "--all", ...flags]);
	expect(exitCode).toBe(0);
	expect(stdout).toContain("resort owns the tables");
	expect(stdout).toMatch(/ 70 are free for this user/);
	expect(stdout).not.toContain("pg_monitor");
});
