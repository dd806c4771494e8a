import { expect } from "bun:test";
import { SQL } from "bun";
import { useTemporaryFolder } from "../../support/folder.ts";
import { testWith } from "../../support/tools.ts";
import { installations } from "./support/installations.ts";
import { startPgBouncer } from "./support/pgbouncer.ts";
import { connectTo, newDatabase, openPostgres } from "./support/shared.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

function testThrough(name: string, body: () => Promise<void>): void {
	if (installations.length === 0) testOnPostgres(name, body);
	else testWith(["pgbouncer"], name, body);
}

const folder = useTemporaryFolder();

const flagsFor = (url: string) => ["--database", url, "--port", "0"];

testThrough("two instances behind PgBouncer in session mode see each other's changes", async () => {
	await using pooler = await startPgBouncer(await newDatabase());
	const flags = flagsFor(pooler.url);
	const instances = ["--database-connections", "6", "--rate-limits", "off"];
	const one = await folder.serve([...flags, ...instances]);
	const other = await folder.serve([...flags, ...instances]);
	for (const [here, there] of [
		[one, other],
		[other, one],
	] as const) {
		for (let times = 0; times < 3; times++) {
			const { id } = await here.register();
			for (const { url } of [here, there]) {
				const answer = await fetch(`${url}/api/agents/${id}/status`);
				expect(await answer.json()).toMatchObject({ status: "available" });
			}
		}
	}
	const doctor = await folder.run(["doctor", ...flags]);
	expect(doctor.stdout).not.toMatch(/^fail/m);
	expect((await one.stop()).exitCode).toBe(0);
	expect((await other.stop()).exitCode).toBe(0);
});

for (const [mode, robin] of [
	["transaction", 0],
	["transaction", 1],
	["statement", 0],
] as const) {
	testThrough(
		`the store refuses PgBouncer with \`pool_mode = ${mode}\` and \`server_round_robin = ${robin}\`, and does not change the database`,
		async () => {
			const url = await newDatabase();
			const settings = [`pool_mode = ${mode}`, `server_round_robin = ${robin}`];
			await using pooler = await startPgBouncer(url, ...settings);
			await using clients = new SQL(pooler.url, { max: 4, prepare: false });
			// Makes PgBouncer open four connections to the server, and leaves them idle.
			await Promise.all([1, 2, 3, 4].map(() => clients.unsafe("select pg_sleep(0.2)")));
			await expect(openPostgres(pooler.url)).rejects.toThrow("set pool_mode = session in pgbouncer.ini");
			await using direct = connectTo(url);
			expect(await direct.query("select from pg_class where relname = 'heads'")).toHaveLength(0);
		},
	);
}
