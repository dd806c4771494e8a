import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { useTemporaryFolder } from "../../../support/folder.ts";

const folder = useTemporaryFolder();

const AUTHORITIES =
	["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"].find((path) =>
		existsSync(path),
	) ?? "system";

test.each([
	["backup", "pg_dump"],
	["restore", "pg_restore"],
])("resort %s of a PostgreSQL database is refused, and prints a command with %s", async (command) => {
	folder.write("postgres://:hunter2@db.test/resort\n", "address");
	const env = { RESORT_DATABASE_FILE: "address", PGUSER: "ada", PGPASSWORD: "hunter2" };
	const { stderr, ...ended } = await folder.run([command, "my copy"], { env });
	expect(ended).toEqual({ exitCode: 2, stdout: "" });
	expect(stderr).toContain(`=${AUTHORITIES}'`);
	// To record it again, add --update-snapshots.
	expect(stderr.replace(AUTHORITIES, "FILE")).toMatchSnapshot();
	expect(readdirSync(folder.path)).toEqual(["address"]);
});
