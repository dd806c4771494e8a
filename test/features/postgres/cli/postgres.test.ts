import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { useTemporaryFolder } from "../../../support/folder.ts";

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
